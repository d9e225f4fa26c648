import { isCondition } from '../../contract/conditions.ts'
import { recordType } from '../../contract/operations.ts'
import { Change, undoChange } from '../../contract/records/change.ts'
import { Company } from '../../contract/records/company.ts'
import { Contact } from '../../contract/records/contact.ts'
import { eventTypeOf } from '../../contract/records/event.ts'
import { Lead } from '../../contract/records/lead.ts'
import { Opportunity } from '../../contract/records/opportunity.ts'
import { NOBODY } from '../../contract/records/user.ts'
import { Workspace } from '../../contract/records/workspace.ts'
import type { Reader, StoredRecord, Value, Where } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { readableEvents } from '../access/access.ts'
import { differences, isDerived, type RecordChange } from '../journal/changes.ts'
import type { DryRunState } from '../service.ts'
import { idOf } from './records.ts'
import type { CheckedCall, Outcome, Prepared } from './types.ts'

/** Stands for an id that only a real run would make. */
const NEW_ID = '(new)'

/** Runs a write on a writer that writes nothing, and answers with what it would have written. */
export async function dryRun(checked: CheckedCall, prepared: Prepared): Promise<Outcome> {
  return (await dryRunWithChange(checked, prepared)).outcome
}

/** What a write would answer and change. */
export interface DryRun {
  readonly outcome: Outcome
  readonly change: RecordChange | undefined
  readonly also: readonly RecordChange[]
  /** What would differ after one of the changes, as far as it can be predicted and the caller may read it. */
  differenceOf(change: RecordChange): ReturnType<typeof differences>
}

/** A dry run with the change that it would have made. */
export async function dryRunWithChange(checked: CheckedCall, prepared: Prepared): Promise<DryRun> {
  const { service, caller, operation, call } = checked
  const { supports, ...platform } = checked.binding.platformFor(prepared.on)
  const reader = platform.reader(caller.workspace.number)
  const [at, state] = [service.now().toISOString(), call.dryRunState ?? new Map()]
  const written = await prepared.work(dryRunWriter(reader, at, state))
  const inStore = () => dryRunWriter(service.store.reader(caller.workspace.number), at, state)
  const { answer, change, also = [], batchId } = written.inStore ? await written.inStore(inStore()) : written
  // An undo shows values that the caller may not have read before; other writes are about values of the input, or of their own answer.
  const isHidden = ({ record, eventName }: RecordChange) => operation === undoChange && !readableEvents(caller).has(eventTypeOf(record, eventName))
  // A CRM sets times and authors itself, and derives fields of its own, so they cannot be predicted.
  const creates = Object.values(answer).includes(NEW_ID) || change?.before === null
  // For a caller without a user there, the CRM chooses the owner of a new record.
  const unowned = creates && !caller.platformUserId ? ['OwnerID'] : []
  const derived = Object.keys(operation.record.fields).filter((name) => isDerived(operation.record, name))
  const unpredictable = supports.ownUsers ? [] : [...(creates ? [...SET_ON_CREATE, ...unowned] : SET_ON_CHANGE), ...derived]
  const ownerless = supports.fields[operation.record.name]?.OwnerID?.absent
  const differenceOf = (one: RecordChange): ReturnType<typeof differences> =>
    Object.fromEntries(
      Object.entries(isHidden(one) ? {} : differences(one.record, one.before, one.after))
        .filter(([name, { To }]) => To !== NEW_ID && !unpredictable.includes(name))
        .map(([name, { From, To }]) => [name, { From, To: ownerless && name === 'OwnerID' ? NOBODY : To }]),
    )
  const result = {
    DryRun: true,
    WouldWrite: {
      ...withoutNewIds({ ...answer, ...(operation.shownOnce && { [operation.shownOnce]: null }) }),
      ...Object.fromEntries(unpredictable.flatMap((name) => (name in answer ? [[name, null]] : []))),
      ...(ownerless && 'OwnerID' in answer && { OwnerID: NOBODY }),
    },
    // Of a batch the answer says how many changes there are, and of which kinds.
    Difference: change && batchId === undefined ? differenceOf(change) : {},
  }
  return { outcome: { result }, change, also, differenceOf }
}

const SET_ON_CHANGE: readonly string[] = ['UpdatedDate', 'Revision']
const SET_ON_CREATE: readonly string[] = [...SET_ON_CHANGE, 'CreatedDate', 'AuthorID']

/** Null in place of ids that a dry run does not make. */
function withoutNewIds(answer: object): object {
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, value === NEW_ID ? null : value]))
}

function meets(record: StoredRecord, where: Where): boolean {
  if (!isCondition(where)) throw new Error('A write searches by plain conditions only.')
  const { field, name, operator, value } = where
  const is = name === undefined ? record[field] : ((record[field] as { readonly [name: string]: Value })[name] ?? null)
  return operator === 'eq' ? is === value : is !== value
}

/** Where the number of notes, comments or memberships is kept that dry runs have added to a record. */
const addedKey = (child: string, id: string) => `+${child} ${id}`

/** How many notes, comments or memberships earlier dry runs of a batch have added to a record. */
export const addedIn = (state: DryRunState | undefined, child: string, id: string): number =>
  (state?.get(addedKey(child, id))?.count as number | undefined) ?? 0

/** A writer that keeps changes in memory, so that later dry runs of a batch see those of earlier ones. */
export function dryRunWriter(reader: Reader, at: string, state: DryRunState): StoreWriter {
  const { foreseeConversion } = reader
  const keyOf = (type: string, id: string) => `${type} ${id}`
  const get = async (type: string, id: string) => (state.has(keyOf(type, id)) ? state.get(keyOf(type, id)) : reader.get(type, id))
  const put = async (type: string, record: StoredRecord) => {
    const { id, childOf } = recordType(type)
    // New notes and comments have no id yet, so only their number is kept.
    const parent = childOf && (record[childOf.field] as string)
    if (parent !== undefined) state.set(addedKey(type, parent), { count: addedIn(state, type, parent) + 1 })
    if (record[id] !== NEW_ID) state.set(keyOf(type, record[id] as string), record)
    return record
  }
  const writer: StoreWriter = {
    get,
    async getWithTotals(type, id) {
      const record = await get(type, id)
      if (!record) return undefined
      const { totals = {} } = (await reader.getWithTotals(type, id)) ?? {}
      return {
        record,
        totals: Object.fromEntries(recordType(type).children.map(({ list, type: child }) => [list, (totals[list] ?? 0) + addedIn(state, child, id)])),
      }
    },
    /** Writes search by equality, and by whether there is a value, so that no other operator has to be evaluated in memory. */
    async find(type, query) {
      const changed = [...state].filter(([name]) => name.startsWith(keyOf(type, '')))
      if (changed.length === 0) return reader.find(type, query)
      const { records, more } = await reader.find(type, { ...query, limit: query.limit + changed.length })
      const untouched = records.filter((record) => !state.has(keyOf(type, idOf(recordType(type), record))))
      const matching = changed.flatMap(([, record]) => (record && !query.after && query.where.every((condition) => meets(record, condition)) ? [record] : []))
      const all = [...untouched, ...matching]
      return { records: all.slice(0, query.limit), more: more || all.length > query.limit }
    },
    isDryRun: true,
    getForReference: get,
    async getAll(type, ids) {
      return (await Promise.all(ids.map((id) => get(type, id)))).filter((record) => record !== undefined)
    },
    async lockWorkspace() {},
    async lockName() {},
    async pause() {},
    tally: (type, query) => reader.tally(type, query),
    count: (type, where) => reader.count(type, where),
    firstCreated: (type, owners) => reader.firstCreated(type, owners),
    oldestNotIn: (type, owners, states) => reader.oldestNotIn(type, owners, states),
    search: (query) => reader.search(query),
    newId: () => ({ id: NEW_ID, at }),
    now: () => at,
    create: async (type, record) => put(type, { ...record, ...(await reader.foresee?.(type, record)) }),
    async restore(type, record) {
      await put(type, record)
    },
    async update(type, id, changes) {
      const record = await get(type, id)
      const after = record && { ...record, ...changes, ...(await reader.foresee?.(type, changes, record)) }
      if (after) state.set(keyOf(type, id), after)
      return after
    },
    async delete(type, id) {
      if (!(await get(type, id))) return false
      state.set(keyOf(type, id), undefined)
      return true
    },
    convertLead:
      foreseeConversion &&
      (async (conversion) => {
        const { used, lead } = await foreseeConversion(conversion)
        const before = await get(Lead.name, conversion.leadId)
        state.set(keyOf(Lead.name, conversion.leadId), lead && before && { ...before, ...lead })
        // Records that would be made have an id, and nothing that could be read.
        for (const type of [Company, Contact, Opportunity]) state.set(keyOf(type.name, NEW_ID), undefined)
        return { companyId: NEW_ID, contactId: NEW_ID, ...(conversion.opportunity && { opportunityId: NEW_ID }), ...used }
      }),
    async findIdempotencyKey() {
      return undefined
    },
    async putIdempotencyKey() {},
    async releaseIdempotencyKey() {},
    appendAuditLine: async () => NEW_ID,
    async position() {
      return undefined
    },
    async setPosition() {},
    async erase(type, id) {
      state.set(keyOf(type, id), undefined)
      const { records } = await reader.find(Change.name, {
        where: [
          { field: 'RecordID', family: 'text', operator: 'eq', value: id },
          { field: 'RecordType', family: 'text', operator: 'eq', value: type },
        ],
        order: { field: Change.createdField, descending: true },
        limit: Number.MAX_SAFE_INTEGER,
        fields: ['Salt'],
      })
      return records.filter(({ Salt }) => Salt !== null).length
    },
    async addWorkspace({ Name }) {
      const where = [{ field: 'Name', family: 'text', operator: 'eq', value: Name as string }] as const
      const { records } = await writer.find(Workspace.name, { where, order: { field: Workspace.id, descending: false }, limit: 1 })
      return records.length > 0 ? undefined : writer
    },
    inMirror: () => writer,
    notify() {},
  }
  return writer
}
