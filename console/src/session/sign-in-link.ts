import { baseUrl } from './base-url.ts'
import { createPost } from './post.ts'

const LINK = /^#\/sign-in\/([\w-]+)$/

/** Whether the page was opened with a sign-in link that is not used yet. */
export const hasTicket = (): boolean => LINK.test(window.location.hash)

/** The ticket of the sign-in link that the page was opened with; removed from the address and its history, so that it is used once. */
export function takeTicket(): string | undefined {
  const ticket = LINK.exec(window.location.hash)?.[1]
  if (ticket !== undefined) window.history.replaceState(null, '', window.location.pathname)
  return ticket
}

/** Calls back when a link is opened in a tab that has the console already. */
export function onLink(opened: () => void): () => void {
  const changed = () => hasTicket() && opened()
  window.addEventListener('hashchange', changed)
  return () => window.removeEventListener('hashchange', changed)
}

/** The key of the session that a ticket stands for. Rejects with CrmError. */
export async function redeemTicket(Ticket: string): Promise<string> {
  return (await postWithoutKey<{ readonly Key: string }>('/sign-in/link', { Ticket })).Key
}

/** Ends the session of a key. Should the service not answer, it ends by itself. */
export function endSession(key: string): void {
  void createPost(baseUrl, key, fetch)('/sign-out', {}).catch(() => {})
}

const postWithoutKey = createPost(baseUrl, undefined, fetch)
