import { recordType } from '../../contract/operations.ts'
import { recordName } from '../../contract/record-name.ts'
import { Campaign } from '../../contract/records/campaign.ts'
import { createInTurn } from '../../helpers/in-turn.ts'
import type { Reader } from '../../platforms/platform.ts'
import { mayRead } from '../access/access.ts'
import type { Binding } from '../binding.ts'
import type { RecordChange } from '../journal/changes.ts'
import type { DryRunState } from '../service.ts'
import { isUndoable } from '../verbs/undo.ts'
import { addedIn } from './dry-run.ts'
import type { CheckedCall } from './types.ts'

/** What is known about a delete or an update beside its dry run. */
export interface Loss {
  /** The names for people of the records that it is about, by their ids. */
  readonly Names: { readonly [id: string]: string }
  /** How many notes, comments and memberships go with the record, by the name of their list. */
  readonly Removed: { readonly [list: string]: number }
  readonly Undoable: boolean
}

/** What goes with a record that is deleted, and whether the change can be taken back. */
export async function lossOf({ caller, binding, operation, call }: CheckedCall, { record, id, eventName, before, after, on }: RecordChange): Promise<Loss> {
  const reader = binding.platformFor(record).reader(caller.workspace.number)
  const campaignId = on && before?.CampaignID
  const campaign = typeof campaignId === 'string' ? await reader.get(Campaign.name, campaignId) : undefined
  const named = [
    [id, recordName(record.name, on ?? before ?? after)],
    [campaignId, recordName(Campaign.name, campaign ?? null)],
  ]
  return {
    // An undo may be about values that the caller may not read.
    Names: operation.verb === 'undoChange' && !mayRead(caller, record) ? {} : Object.fromEntries(named.filter(([, name]) => name !== undefined)),
    Removed: on === undefined && after === null ? await attachedTo(reader, record.name, id, call.dryRunState) : {},
    Undoable: isUndoable(binding, record, eventName),
  }
}

/** How many notes, comments and memberships a record has, by the name of their list; with those that earlier calls of a batch would add. */
export async function attachedTo(reader: Pick<Reader, 'getWithTotals'>, type: string, id: string, state?: DryRunState): Promise<Counts> {
  const { children } = recordType(type)
  const { totals = {} } = (children.length > 0 && (await reader.getWithTotals(type, id))) || {}
  const counts = children.map(({ list, type: child }) => [list, (totals[list] ?? 0) + addedIn(state, child, id)] as const)
  return Object.fromEntries(counts.filter(([, count]) => count > 0))
}

/** How many records of each kind a plan names: of those that it deletes, and of those that it changes. */
export const NAMED = 20

/** How much of a plan is read at the same time: each call of a batch takes requests of a CRM. */
export const atOnce = (binding: Binding | undefined): number => (binding?.isStore ? 1 : 8)

/** What goes with each of several changes. */
export function lossOfEach(checked: CheckedCall, changes: readonly RecordChange[]): Promise<readonly Loss[]> {
  const inTurn = createInTurn(atOnce(checked.binding))
  return Promise.all(changes.map((change) => inTurn('', () => lossOf(checked, change))))
}

/** What goes with several changes, by what goes with each, and the names of the first, deletes before updates. */
export function lossOfAll(changes: readonly RecordChange[], losses: readonly Loss[]): Loss {
  const Removed: Counts = {}
  for (const loss of losses) add(Removed, loss.Removed)
  const namesWhere = (isDelete: boolean) => losses.filter((_, i) => (changes[i]?.after === null) === isDelete).map(({ Names }) => Names)
  const Names = Object.assign({}, ...namesWhere(true).slice(0, NAMED), ...namesWhere(false).slice(0, NAMED))
  return { Names, Removed, Undoable: losses.every(({ Undoable }) => Undoable) }
}

export type Counts = { [name: string]: number }

export function add(sums: Counts, counts: { readonly [name: string]: number }): void {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count
}
