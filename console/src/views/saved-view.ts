import type { Session } from '../session/session.ts'

/** A named view of a table, as the service keeps it. */
export interface SavedView {
  readonly ViewID: string
  readonly RecordType: string
  /** Null except for a custom object. */
  readonly ObjectName: string | null
  readonly Name: string
  /** The query of its address. */
  readonly Query: string
  /** The user who has made it. */
  readonly OwnerID: string
  /** Whether the team sees it, and not its owner alone. */
  readonly Shared: boolean
  /** Whether it may be changed and deleted. */
  readonly Editable: boolean
}

export type NewView = Pick<SavedView, 'Name' | 'Query' | 'Shared'>

const PATH = '/v1/views'
const at = ({ ViewID }: SavedView) => `${PATH}/${encodeURIComponent(ViewID)}`

export const findViews = async ({ get }: Session, signal: AbortSignal) => (await get<{ readonly Views: readonly SavedView[] }>(PATH, signal)).Views

interface Of {
  readonly recordType: string
  readonly objectName: string | undefined
}

export const createView = ({ post }: Session, { recordType, objectName }: Of, view: NewView) =>
  post<SavedView>(PATH, { RecordType: recordType, ...(objectName !== undefined && { ObjectName: objectName }), ...view })

export const updateView = ({ post }: Session, view: SavedView, changes: Partial<NewView>) => post<SavedView>(at(view), changes)

export const deleteView = ({ post }: Session, view: SavedView) => post<SavedView>(`${at(view)}/delete`, {})
