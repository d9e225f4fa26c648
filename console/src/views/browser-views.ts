import { CrmError } from 'crm-connector'
import type { RecordSchema } from '../records/record-schema.ts'
import type { Session } from '../session/session.ts'
import { createView } from './saved-view.ts'

interface BrowserView {
  readonly name: string
  readonly query: string
}

/** Moves the views that earlier versions stored in this browser to the service, as views of the user's own. What cannot be moved stays for the next time. */
export async function moveBrowserViews(session: Session, schema: RecordSchema): Promise<void> {
  const storageKey = `crm-connector-views:${session.me.Workspace}:${schema.path.join('/')}`
  const stored = read(storageKey)
  const left: BrowserView[] = []
  for (const view of stored) {
    try {
      await createView(session, schema, { Name: view.name, Query: view.query, Shared: false })
    } catch (error) {
      if (!isThereAlready(error)) left.push(view)
    }
  }
  if (left.length > 0) localStorage.setItem(storageKey, JSON.stringify(left))
  else localStorage.removeItem(storageKey)
}

/** Another tab may move them at the same time. */
const isThereAlready = (error: unknown) => error instanceof CrmError && error.code === 'conflict' && error.errors?.[0]?.field === 'Name'

function read(storageKey: string): readonly BrowserView[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((one) => typeof one?.name === 'string' && typeof one?.query === 'string') : []
  } catch {
    return []
  }
}
