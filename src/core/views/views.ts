import { CrmError, type Fault } from '../../contract/errors.ts'
import { quote } from '../../contract/operations.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { mayRead } from '../access/access.ts'
import type { Caller, Service } from '../service.ts'
import { readChanges, readNewView, VIEWED_TYPES } from './input.ts'

/** A named view of a table of the console. */
interface StoredView {
  readonly ViewID: string
  readonly RecordType: string
  /** Null except for a custom object. */
  readonly ObjectName: string | null
  readonly Name: string
  /** The query of its address. */
  readonly Query: string
  /** The user who has made it. */
  readonly OwnerID: string
}

export interface View extends StoredView {
  /** Whether every user of the workspace sees it, and not its owner alone. */
  readonly Shared: boolean
  /** Whether the caller may change and delete it. */
  readonly Editable: boolean
}

/** How many views a workspace shares, and how many each user has beside them. */
const MOST = 50

/** The position that has the views which are shared, and that of one user's own. */
const SHARED = 'views'
const placeOf = (shared: boolean, userId: string) => (shared ? SHARED : `${SHARED} ${userId}`)

type Read = { readonly position: (name: string) => Promise<string | undefined> }

const read = async (from: Read, place: string) => JSON.parse((await from.position(place)) ?? '[]') as readonly StoredView[]

const mayChange = ({ userId, role, scopes }: Caller, { OwnerID }: StoredView) => OwnerID === userId || (role === 'admin' && scopes.includes('admin'))

const isReadable = (caller: Caller, { RecordType }: Pick<StoredView, 'RecordType'>) =>
  VIEWED_TYPES.some((type) => type.name === RecordType && mayRead(caller, type))

const shown = (caller: Caller, view: StoredView, Shared: boolean): View => ({ ...view, Shared, Editable: mayChange(caller, view) })

/** The views that a caller may see: those that are shared and their own, of the record types that their key may read. */
export async function listViews({ store }: Service, caller: Caller): Promise<readonly View[]> {
  const journal = store.journal(caller.workspace.number)
  const of = async (shared: boolean) => (await read(journal, placeOf(shared, caller.userId))).map((view) => shown(caller, view, shared))
  return [...(await of(true)), ...(await of(false))].filter((view) => isReadable(caller, view))
}

export async function createView({ store }: Service, caller: Caller, input: unknown): Promise<View> {
  const { Shared = false, ...given } = readNewView(input)
  if (!isReadable(caller, given)) throw new CrmError('forbidden', `This key may not read records of the type ${given.RecordType}.`)
  return store.write(caller.workspace.number, async (writer) => {
    await writer.lockWorkspace()
    const view: StoredView = { ViewID: writer.newId().id, ObjectName: null, ...given, OwnerID: caller.userId }
    await put(writer, view, Shared)
    return shown(caller, view, Shared)
  })
}

/** Renames a view, gives it another query, shares it or ends that. */
export async function updateView({ store }: Service, caller: Caller, id: string, input: unknown): Promise<View> {
  const { Shared, ...changes } = readChanges(input)
  return store.write(caller.workspace.number, async (writer) => {
    const found = await take(writer, caller, id)
    const view: StoredView = { ...found.view, ...changes }
    await put(writer, view, Shared ?? found.shared, found.nth)
    return shown(caller, view, Shared ?? found.shared)
  })
}

export async function deleteView({ store }: Service, caller: Caller, id: string): Promise<View> {
  return store.write(caller.workspace.number, async (writer) => {
    const { view, shared } = await take(writer, caller, id)
    return shown(caller, view, shared)
  })
}

/** Takes a view out of the list that it is in. */
async function take(writer: StoreWriter, caller: Caller, id: string) {
  await writer.lockWorkspace()
  for (const shared of [true, false]) {
    const place = placeOf(shared, caller.userId)
    const views = await read(writer, place)
    const nth = views.findIndex((view) => view.ViewID === id && isReadable(caller, view))
    const view = views[nth]
    if (!view) continue
    if (!mayChange(caller, view))
      throw new CrmError('forbidden', `The view ${quote(view.Name)} can be changed by the user who has made it and by admins.`, {
        hint: 'Save what is shown as a view of your own instead.',
      })
    await writer.setPosition(place, JSON.stringify(views.toSpliced(nth, 1)))
    return { view, shared, nth }
  }
  throw new CrmError('not_found', `There is no view ${quote(id)}, or none that you may see.`)
}

/** Adds a view to a list, at its place where it was in it. */
async function put(writer: StoreWriter, view: StoredView, shared: boolean, nth?: number): Promise<void> {
  const place = placeOf(shared, view.OwnerID)
  const views = await read(writer, place)
  const isSame = (one: StoredView) =>
    one.RecordType === view.RecordType && one.ObjectName === view.ObjectName && one.Name.toLowerCase() === view.Name.toLowerCase()
  if (views.some(isSame)) throw conflict('Name', 'conflict', `There is a view called ${quote(view.Name)} already.`, 'Give it another name.')
  if (views.length >= MOST)
    throw conflict(
      'Shared',
      'count',
      shared ? `A workspace shares at most ${MOST} views.` : `A user has at most ${MOST} views of their own.`,
      'Delete one first.',
    )
  await writer.setPosition(place, JSON.stringify(views.toSpliced(nth ?? views.length, 0, view)))
}

function conflict(field: string, code: Fault['code'], message: string, hint: string): CrmError {
  return new CrmError('conflict', message, { errors: [{ field, code, message }], hint })
}
