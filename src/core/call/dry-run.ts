import { recordType } from '../../contract/operations.ts'
import { Change } from '../../contract/records/change.ts'
import { NOBODY } from '../../contract/records/user.ts'
import type { Reader, StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { differences, type RecordChange } from '../journal/changes.ts'
import type { DryRunState } from '../service.ts'
import { platformFor } from '../verbs/context.ts'
import type { CheckedCall, Outcome, Prepared } from './types.ts'

/** Stands for an id that only a real run would make. */
const NEW_ID = '(new)'

/** Goes through a write as it would be carried out, on a writer that writes nothing, and says what would have been written. */
export async function dryRun(checked: CheckedCall, prepared: Prepared): Promise<Outcome> {
  return (await dryRunWithChange(checked, prepared)).outcome
}

/** What a write would answer and change. */
export interface DryRun {
  readonly outcome: Outcome
  readonly change: RecordChange | undefined
}

/** The same, with the change that it would have been. */
export async function dryRunWithChange(checked: CheckedCall, prepared: Prepared): Promise<DryRun> {
  const { service, caller, operation, call } = checked
  const { supports, ...platform } = platformFor(checked, prepared.on)
  const reader = platform.reader(caller.workspace.number)
  const { answer, change } = await prepared.work(dryRunWriter(reader, service.now().toISOString(), call.dryRunState ?? new Map()))
  const difference = change ? differences(change.record, change.before, change.after) : {}
  // A platform elsewhere has its own moments, and its own idea of who wrote something.
  const isBirth = Object.values(answer).includes(NEW_ID) || operation.effect === 'create'
  // Whoever is nobody there leaves it to the platform whose it is.
  const unowned = isBirth && !caller.platformUserId ? ['OwnerID'] : []
  const unforeseen = supports.ownUsers ? [] : isBirth ? [...AT_BIRTH, ...unowned] : AT_CHANGE
  const ownerless = supports.fields[operation.record.name]?.OwnerID?.absent
  const result = {
    DryRun: true,
    WouldWrite: {
      ...withoutNewIds({ ...answer, ...(operation.shownOnce && { [operation.shownOnce]: null }) }),
      ...Object.fromEntries(unforeseen.flatMap((name) => (name in answer ? [[name, null]] : []))),
      ...(ownerless && 'OwnerID' in answer && { OwnerID: NOBODY }),
    },
    Difference: Object.fromEntries(
      Object.entries(difference)
        .filter(([name, { To }]) => To !== NEW_ID && !unforeseen.includes(name))
        .map(([name, { From, To }]) => [name, { From, To: ownerless && name === 'OwnerID' ? NOBODY : To }]),
    ),
  }
  return { outcome: { result }, change }
}

const AT_CHANGE: readonly string[] = ['UpdatedDate', 'Revision']
const AT_BIRTH: readonly string[] = [...AT_CHANGE, 'CreatedDate', 'AuthorID']

/** Null in the place of ids that were only pretended. */
function withoutNewIds(answer: object): object {
  return Object.fromEntries(Object.entries(answer).map(([name, value]) => [name, value === NEW_ID ? null : value]))
}

/** A writer that only remembers what it was told, so that what comes later sees what came before. */
function dryRunWriter(reader: Reader, at: string, pretended: DryRunState): StoreWriter {
  const place = (type: string, id: string) => `${type} ${id}`
  const get = async (type: string, id: string) => (pretended.has(place(type, id)) ? pretended.get(place(type, id)) : reader.get(type, id))
  const remember = async (type: string, record: StoredRecord) => {
    const { id, hangsOn } = recordType(type)
    // What hangs on a record is told by how many there are, since a new one has no id yet.
    const hung = hangsOn && place(`+${type}`, record[hangsOn.field] as string)
    if (hung) pretended.set(hung, { count: ((pretended.get(hung)?.count as number | undefined) ?? 0) + 1 })
    if (record[id] !== NEW_ID) pretended.set(place(type, record[id] as string), record)
    return record
  }
  return {
    get,
    async getWithTotals(type, id) {
      const record = await get(type, id)
      if (!record) return undefined
      const { totals = {} } = (await reader.getWithTotals(type, id)) ?? {}
      const added = (hanging: string) => (pretended.get(place(`+${hanging}`, id))?.count as number | undefined) ?? 0
      return { record, totals: Object.fromEntries(recordType(type).hanging.map(({ list, type: hanging }) => [list, (totals[list] ?? 0) + added(hanging)])) }
    },
    /** Writes look for things by equality only, so that what was pretended can be held against what they ask. */
    async find(type, query) {
      const mine = [...pretended].filter(([name]) => name.startsWith(place(type, '')))
      if (mine.length === 0) return reader.find(type, query)
      const { records, more } = await reader.find(type, { ...query, limit: query.limit + mine.length })
      const untouched = records.filter((record) => !pretended.has(place(type, record[recordType(type).id] as string)))
      const matching = mine.flatMap(([, record]) =>
        record && !query.after && query.where.every(({ field, operator, value }) => operator === 'eq' && record[field] === value) ? [record] : [],
      )
      const all = [...untouched, ...matching]
      return { records: all.slice(0, query.limit), more: more || all.length > query.limit }
    },
    getForReference: get,
    async lockWorkspace() {},
    tally: (type, query) => reader.tally(type, query),
    firstCreated: (type, owners) => reader.firstCreated(type, owners),
    oldestNotIn: (type, owners, states) => reader.oldestNotIn(type, owners, states),
    newId: () => ({ id: NEW_ID, at }),
    now: () => at,
    create: remember,
    async restore(type, record) {
      await remember(type, record)
    },
    async update(type, id, changes) {
      const record = await get(type, id)
      const after = record && { ...record, ...changes }
      if (after) pretended.set(place(type, id), after)
      return after
    },
    async delete(type, id) {
      if (!(await get(type, id))) return false
      pretended.set(place(type, id), undefined)
      return true
    },
    async findIdempotencyKey() {
      return undefined
    },
    async putIdempotencyKey() {},
    async releaseIdempotencyKey() {},
    appendAuditLine: async () => NEW_ID,
    async erase(type, id) {
      pretended.set(place(type, id), undefined)
      const { records } = await reader.find(Change.name, {
        where: [{ field: 'RecordID', family: 'text', operator: 'eq', value: id }],
        order: { field: Change.createdField, descending: true },
        limit: Number.MAX_SAFE_INTEGER,
        fields: ['Salt'],
      })
      return records.filter(({ Salt }) => Salt !== null).length
    },
  }
}
