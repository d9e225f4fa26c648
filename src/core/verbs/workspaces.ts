import { CrmError } from '../../contract/errors.ts'
import { quote } from '../../contract/operations.ts'
import { FIRST_WORKSPACE, Workspace } from '../../contract/records/workspace.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { type NewWorkspace, nameFault, newWorkspace } from '../access/new-workspace.ts'
import { refuse } from '../call/check.ts'
import { hasValues, nextRevision, type RecordOf, shown } from '../call/records.ts'
import type { Context, Prepared, Written } from '../call/types.ts'
import { changeTo } from '../journal/changes.ts'
import { checkRevision, visible } from './context.ts'

type StoredWorkspace = RecordOf<typeof Workspace>

export function createWorkspace({ operation, input }: Context): Prepared {
  const given = input as unknown as NewWorkspace
  const fault = nameFault(given.Name)
  if (fault) throw refuse(operation, [fault])
  return {
    on: Workspace,
    async work(writer) {
      const { record, userId, key } = await newWorkspace(writer, given)
      return { answer: { ...shown(Workspace, record), UserID: userId, Key: key }, change: changeTo(Workspace, 'created', null, record) }
    },
  }
}

export function updateWorkspace(context: Context): Prepared {
  const changes = context.input.FieldsToUpdate as StoredRecord
  return {
    on: Workspace,
    async work(writer) {
      const workspace = await undeleted(writer, context)
      checkRevision(context.service.store, workspace, Workspace, context.input.IfRevision)
      if (hasValues(workspace, changes)) return { answer: { ...shown(Workspace, workspace), UpdatedFields: [] } }
      const after = await apply(writer, workspace, changes)
      return { answer: { ...shown(Workspace, after), UpdatedFields: Object.keys(changes) }, change: changeTo(Workspace, 'updated', workspace, after) }
    },
  }
}

export const pauseWorkspace = (context: Context): Prepared => inState(context, 'paused')
export const resumeWorkspace = (context: Context): Prepared => inState(context, 'active')

/** Pausing what is paused changes nothing. */
function inState(context: Context, state: 'active' | 'paused'): Prepared {
  return {
    on: Workspace,
    async work(writer): Promise<Written> {
      const workspace = await undeleted(writer, context)
      if (state === 'paused') refuseFirst(workspace, 'paused')
      if (workspace.State === state) return { answer: shown(Workspace, workspace) }
      const after = await apply(writer, workspace, { State: state })
      return { answer: shown(Workspace, after), change: changeTo(Workspace, state === 'paused' ? 'paused' : 'resumed', workspace, after) }
    },
  }
}

/** From its commit on the workspace is not served; `startErasing` erases what is in it. */
export function deleteWorkspace(context: Context): Prepared {
  const { store } = context.service
  return {
    on: Workspace,
    async work(writer): Promise<Written> {
      const workspace = await visible(writer, context, Workspace)
      refuseFirst(workspace, 'deleted')
      refuseOther(workspace, context.input.Name as string | undefined)
      checkRevision(store, workspace, Workspace, context.input.IfRevision)
      const { WorkspaceID, Name, State, Number: number } = workspace
      const answer = { WorkspaceID, Name, State: 'deleting', Erases: await store.contents(number, true) }
      if (State === 'deleting') return { answer }
      await apply(writer, workspace, { State: 'deleting' })
      return { answer, change: changeTo(Workspace, 'deleted', workspace, null) }
    },
  }
}

/** Notifies all processes, which then end the streams and stop or resume the webhooks of the workspace. */
async function apply(writer: StoreWriter, workspace: StoredWorkspace, changes: StoredRecord): Promise<StoredWorkspace> {
  const applied = { ...changes, ...nextRevision(workspace, writer.now()) }
  await writer.update(Workspace.name, workspace.WorkspaceID, applied)
  writer.notify(workspace.Number)
  return { ...workspace, ...applied }
}

async function undeleted(writer: StoreWriter, context: Context): Promise<StoredWorkspace> {
  const workspace = await visible(writer, context, Workspace)
  if (workspace.State === 'deleting') throw new CrmError('conflict', `The workspace ${quote(workspace.Name)} is being deleted.`)
  return workspace
}

function refuseFirst({ Number: number, Name }: StoredWorkspace, how: string): void {
  if (number === FIRST_WORKSPACE)
    throw new CrmError('conflict', `The workspace ${quote(Name)} cannot be ${how}.`, { hint: 'It is the first one: its admins operate the others.' })
}

function refuseOther({ Name }: StoredWorkspace, given: string | undefined): void {
  if (given === undefined || given === Name) return
  const message = `This workspace is called ${quote(Name)}, not ${quote(given)}.`
  throw new CrmError('conflict', message, { errors: [{ field: 'Name', code: 'conflict', message, expected: Name }] })
}
