import { reloadAtStart } from './cookie-session.ts'
import { forgetKey, keepInTab, type StoredKey, storedKey, storedKeyInTab } from './key-storage.ts'

/** The workspaces that this tab has keys of, so that it can switch between them. */
const NAME = 'crm-connector-workspaces'

type Held = { readonly [workspace: string]: StoredKey }

const held = (): Held => JSON.parse(sessionStorage.getItem(NAME) ?? '{}') as Held

/** The names to choose from; none where there is no other than the one that is shown. */
export const tabWorkspaces = (): readonly string[] => Object.keys(held())

export const isTabWorkspace = (name: string): boolean => Object.hasOwn(held(), name)

/** Shows a workspace with a key of its own, and keeps that of the present one to come back to. */
export function enterWorkspace(present: string, name: string, key: string): void {
  const own = storedKeyInTab() ?? { key: storedKey() ?? '', session: false }
  sessionStorage.setItem(NAME, JSON.stringify({ [present]: own, ...held(), [name]: { key, session: true } }))
  switchWorkspace(name)
}

export function switchWorkspace(name: string): void {
  const there = held()[name]
  if (!there) return
  // Without a key the session is the one in the cookie.
  if (there.key === '') forgetKey()
  else keepInTab(there)
  reloadAtStart()
}

/** Forgets a workspace that was deleted. */
export function dropWorkspace(name: string): void {
  const { [name]: _dropped, ...others } = held()
  if (Object.keys(others).length > 1) sessionStorage.setItem(NAME, JSON.stringify(others))
  else sessionStorage.removeItem(NAME)
}

/** Forgets all of them. Returns the keys of sessions among them, which are to be ended. */
export function dropWorkspaces(): readonly string[] {
  const sessions = Object.values(held()).flatMap(({ key, session }) => (session ? [key] : []))
  sessionStorage.removeItem(NAME)
  return sessions
}
