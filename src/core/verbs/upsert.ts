import { CrmError, type Fault } from '../../contract/errors.ts'
import { FIELD_KINDS, type FieldKind } from '../../contract/fields.ts'
import type { RecordType } from '../../contract/record.ts'
import type { Condition, StoredRecord, Value, Writer } from '../../platforms/platform.ts'
import { ownersFor, seesRecord } from '../access/access.ts'
import { refuse } from '../call/check.ts'
import { idOf, newRecord, nextRevision, shown } from '../call/records.ts'
import { absentField, unknownName } from '../call/schemas.ts'
import type { Context, Prepared, Written } from '../call/types.ts'
import { changeTo } from '../journal/changes.ts'
import { checkReferences, refuseCircles } from './references.ts'
import { missingFields } from './required-values.ts'
import { equals, lockUnique, refuseTaken, valueName } from './unique-values.ts'
import { isCreatedBefore, isTaken, rememberUpsert, upsertedBefore } from './upserts-on-crms.ts'

/** How many of several matches are named. */
export const NAMED = 10

/** Updates the record that matches, or creates it. Equal calls at the same time follow each other, so that they leave one record. */
export function upsert(context: Context): Prepared {
  const { caller, operation, input } = context
  const type = operation.record
  const { MatchBy = ['ExternalID'], ...given } = input as { readonly MatchBy?: readonly string[] }
  const values = given as StoredRecord
  const faults = matchFaults(type, MatchBy, values)
  if (faults.length > 0) throw refuse(operation, faults)
  const matched = [...MatchBy].sort()
  const name = matched.map((field) => valueName(type, field, spellings(type, field, values[field] as Value).at(-1))).join(' and ')
  return {
    on: type,
    async work(writer) {
      await writer.lockName(name)
      if (matched.length > 1 || !type.fields[matched[0] as string]?.unique) await lockUnique(writer, type, values)
      const where = matched.map((field) => isAnyOf(type, field, spellings(type, field, values[field] as Value)))
      async function attempt(): Promise<Written> {
        const found = await findMatches(context, writer, where)
        if (found.length > 1) throw severalMatch(type, matched, found)
        const one = found[0] ?? (await upsertedBefore(context, writer, name, where))
        const record = one && (await writer.get(type.name, idOf(type, one)))
        if (record && (await isCreatedBefore(context, writer, type, record))) return createdNow(type, record)
        if (record && seesRecord(caller, type, record)) return updateMatch(context, writer, record, values)
        const created = await createUnmatched(context, writer, values)
        await rememberUpsert(context, writer, name, where, created.answer as StoredRecord)
        return created
      }
      return attempt().catch((error: unknown) => {
        if (!isTaken(context, error, matched)) throw error
        return attempt()
      })
    },
  }
}

/** A value and what it may be stored as: some CRMs keep e-mail addresses in lower case. */
function spellings(type: RecordType, field: string, value: Value): readonly Value[] {
  const lower = type.fields[field]?.kind === 'email' && typeof value === 'string' ? value.toLowerCase() : value
  return lower === value ? [value] : [value, lower]
}

function isAnyOf(type: RecordType, field: string, values: readonly Value[]): Condition {
  const condition = equals(type, field, values[0] as Value)
  return values.length === 1 ? condition : { ...condition, operator: 'in', value: values }
}

/** Whether values of a kind are compared as a whole. */
const isCompared = (kind: FieldKind) => FIELD_KINDS[kind] !== undefined && FIELD_KINDS[kind] !== 'list'

/** Fields to match by that the type does not have, that cannot be searched by, or that have no value. */
function matchFaults(type: RecordType, matchBy: readonly string[], values: StoredRecord): Fault[] {
  return matchBy.flatMap((name, i): Fault[] => {
    const at = `MatchBy.${i}`
    const field = Object.hasOwn(type.fields, name) ? type.fields[name] : undefined
    const settable = Object.keys(type.fields).filter((one) => type.fields[one]?.access === 'write' && isCompared(type.fields[one]?.kind ?? 'json'))
    if (field && !isCompared(field.kind))
      return [{ field: at, code: 'value', message: `${name} has no single value to match by.`, expected: settable.join(', ') }]
    if (!field || !settable.includes(name)) return [unknownName(at, name, settable)]
    if (field.absent !== undefined) return [absentField(at, name, field.absent)]
    if ((values[name] ?? null) !== null) return []
    return [{ field: name, code: 'missing', message: `${name} is required, since the ${type.name} is looked for by it.` }]
  })
}

async function findMatches({ caller, operation: { record: type } }: Context, writer: Writer, where: readonly Condition[]): Promise<readonly StoredRecord[]> {
  const { records } = await writer.find(type.name, { ...ownersFor(caller, type), where, order: { field: type.id, descending: false }, limit: NAMED + 1 })
  return records
}

export function severalMatch(type: RecordType, matched: readonly string[], found: readonly StoredRecord[]): CrmError {
  const ids = found.slice(0, NAMED).map((record) => idOf(type, record))
  const all = found.length > NAMED ? `more than ${NAMED}` : String(found.length)
  const message = `${all} records match by ${matched.join(' and ')}: ${ids.join(', ')}.`
  return new CrmError('conflict', message, {
    errors: [{ field: 'MatchBy', code: 'conflict', message, expected: 'fields by which at most one record matches' }],
    hint: 'Match by a field that is unique, or merge the records first.',
  })
}

/** Sets what differs. Where nothing does, nothing is written. */
async function updateMatch(context: Context, writer: Writer, record: StoredRecord, values: StoredRecord): Promise<Written> {
  const type = context.operation.record
  const id = idOf(type, record)
  const changes = Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(record[name] ?? null, value)))
  const answer = (after: StoredRecord) => ({ ...shown(type, after), Created: false, UpdatedFields: Object.keys(changes) })
  if (Object.keys(changes).length === 0) return { answer: answer(record) }
  await checkReferences(context, writer, type, changes)
  await refuseCircles(writer, type, id, changes, '')
  await refuseTaken(context, writer, type, changes, id)
  const after = await writer.update(type.name, id, { ...changes, ...nextRevision(record, writer.now()) })
  if (!after) throw new CrmError('conflict', `The ${type.name} has just been deleted.`, { hint: 'Repeat the call.' })
  return { answer: answer(after), change: changeTo(type, 'updated', record, after) }
}

const isSame = (one: unknown, other: unknown) => one === other || (typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))

async function createUnmatched(context: Context, writer: Writer, values: StoredRecord): Promise<Written> {
  const { caller, operation } = context
  const type = operation.record
  const missing = missingFields(type, values)
  if (missing.length > 0) {
    const faults = missing.map(
      (name): Fault => ({ field: name, code: 'missing', message: `${name} is required: no ${type.name} matches, and a new one needs it.` }),
    )
    throw refuse(operation, faults)
  }
  await checkReferences(context, writer, type, values)
  await refuseTaken(context, writer, type, values, undefined)
  const record = await writer.create(type.name, newRecord(type, writer.newId(), values, caller.userId))
  return createdNow(type, record)
}

const createdNow = (type: RecordType, record: StoredRecord): Written => ({
  answer: { ...shown(type, record), Created: true, UpdatedFields: [] },
  change: changeTo(type, 'created', null, record),
})
