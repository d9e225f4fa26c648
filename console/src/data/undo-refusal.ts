import { CrmError } from 'crm-connector'
import type { Toast } from '../parts/toasts.tsx'
import { hrefOf } from '../routing/router.ts'
import type { Session } from '../session/session.ts'
import { messageOf } from './error-text.ts'

type Caller = Pick<Session, 'crm' | 'may'>

/** A refused undo that names the record it is about. */
type UndoRefusal = CrmError & {
  /** The address of the record. */
  readonly open?: string
}

interface Named {
  readonly name: string
  readonly open: string | undefined
}

const OF_A_BATCH = /^Nothing was undone\. \S+ \S+, change (\S+): (.+)$/s
const CHANGED_SINCE = 'The record has changed since: '
const REVISIONS = /^It has Revision \d+, and the change left it with \d+\.$/
const GONE = /^The \w+ is gone\.$/

/** The error of an undo in words for people: the record by its name, in place of the ids and Revisions that the service tells programs. */
export async function undoRefusal(caller: Caller, error: unknown, changeId?: string): Promise<unknown> {
  if (!(error instanceof CrmError)) return error
  const [, inBatch, why = error.message] = OF_A_BATCH.exec(error.message) ?? []
  if (inBatch === undefined && !why.startsWith(CHANGED_SINCE)) return error
  const record = await recordOf(caller, inBatch ?? changeId)
  const subject = record?.name ?? (inBatch === undefined ? 'The record' : 'One of the records')
  const refusal = new CrmError(error.code, plainReason(subject, why), { ...error, cause: error })
  const leads = record?.open !== undefined && !GONE.test(why.replace(CHANGED_SINCE, ''))
  return leads ? Object.assign(refusal, { open: record.open }) : refusal
}

/** Why one change of a batch was not undone, where the others were, and the address of its record. */
export async function failureOf(
  caller: Caller,
  { ChangeID, Message }: { readonly ChangeID: string; readonly Message: string },
): Promise<{ readonly reason: string; readonly open: string | undefined }> {
  const record = await recordOf(caller, ChangeID)
  return { reason: plainReason(record?.name ?? 'One of the records', Message), open: record?.open }
}

function plainReason(subject: string, why: string): string {
  if (!why.startsWith(CHANGED_SINCE)) return `${subject}: ${why}`
  const how = why.slice(CHANGED_SINCE.length)
  return REVISIONS.test(how) ? `${subject} has changed since.` : `${subject} has changed since: ${how}`
}

/** The record of a change; undefined where the key may not read changes. */
async function recordOf({ crm, may }: Caller, ChangeID: string | undefined): Promise<Named | undefined> {
  if (ChangeID === undefined || !may('get_many_changes')) return undefined
  const [{ Records = [] } = {}, { changeSentence, pathOf }] = await Promise.all([
    crm.changes.getMany({ Filters: { ChangeID } }).catch(() => undefined),
    import('../journal/change-text.ts'),
  ])
  const [change] = Records
  if (!change || change.RecordID === null) return undefined
  const { typeName, name } = changeSentence(change)
  const path = pathOf(change.RecordType, change.RecordID, change.After ?? change.Before)
  return { name: `${typeName.slice(0, 1).toUpperCase()}${typeName.slice(1)} ‘${name}’`, open: path && hrefOf(path) }
}

/** Says that an undo was refused, with the way to the record. */
export function refusedUndo(error: unknown): Toast {
  const { open } = error as Partial<UndoRefusal>
  return { text: `Not undone: ${messageOf(error)}`, bad: true, ...(open !== undefined && { open }) }
}
