import { describe } from '../../contract/describe.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS, quote } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { getManyChanges } from '../../contract/records/change.ts'
import type { Input } from '../call/types.ts'
import { writtenBy } from '../call/written-values.ts'
import { comparisonsIn, textsComparedIn } from './comparisons.ts'
import { isNear } from './near-value.ts'
import { type Reading, type Row, read, readRows } from './reading.ts'

/** Platforms that have their summaries ready; others would have to go through their records. */
const SUMMED_UP: readonly unknown[] = ['sqlite', 'postgres']

/** How many records more than have a given value have one that is taken for right: a slip may have been made a few times. */
const MORE = 3

interface Given {
  readonly field: string
  readonly value: string
}

interface Near extends Given {
  /** The value that was probably meant. */
  readonly known: string
}

/** Values of open sets that are near another one, which the field is offered with, clearly more records have, or the record had before. They are written as given. */
export async function nearValues(operation: Operation, input: Input, changeId: string | undefined, reading: Reading): Promise<string[]> {
  const near = await Promise.all(
    writtenBy(operation, input).map(async ({ type, at, values }) => {
      const written = givenIn(type, values).filter(({ field }) => !type.fields[field]?.closed)
      const found = await nearKnown(type, written, reading, MORE, async (field) => {
        const [line] =
          changeId === undefined ? [] : await readRows(reading, getManyChanges, { Filters: { ChangeID: changeId, RecordType: type.name }, Select: ['Before'] })
        return (Object(line?.Before) as Row)[field]
      })
      return found.map((one) => ({ ...one, field: Object.hasOwn(operation.nested, at.slice(0, -1)) ? at + one.field : one.field }))
    }),
  )
  return near
    .flat()
    .map(
      ({ field, value, known }) =>
        `${field} is ${quote(value)}, as given, which is near ${quote(known)}, a value that is in use. Correct it if that was meant.`,
    )
}

/** Values in the filters of a read that has found nothing, where a near one is known: filters compare exactly. */
export async function nearFilters(operation: Operation, { Filters }: Input, answer: unknown, reading: () => Promise<Reading>): Promise<string[]> {
  const { Records, Total } = Object(answer) as Row
  const asked = comparisonsIn(Filters).flatMap((comparisons) => givenIn(operation.record, comparisons))
  if ((Array.isArray(Records) ? Records.length : Total) !== 0 || asked.length === 0) return []
  const near = await nearKnown(operation.record, asked, await reading(), 1)
  return near.map(({ field, value, known }) => `Nothing was found with ${field} ${quote(value)}, which is near ${quote(known)}: filters compare exactly.`)
}

async function nearKnown(
  record: RecordType,
  given: readonly Given[],
  reading: Reading,
  more: number,
  before: (field: string) => Promise<unknown> = async () => undefined,
): Promise<Near[]> {
  const unusual = given.filter(({ field, value }) => !record.fields[field]?.suggested?.includes(value))
  if (unusual.length === 0) return []
  const described = await read(reading, describe, { RecordType: record.name })
  const fields = ((described?.RecordTypes as readonly Row[] | undefined)?.[0]?.Fields ?? []) as readonly Row[]
  const near = unusual.map(async ({ field, value }) => {
    const { AllowedValues, SuggestedValues } = fields.find(({ Name }) => Name === field) ?? {}
    const offered = [record.fields[field]?.suggested, SuggestedValues, AllowedValues].flatMap((values) => (values ?? []) as readonly string[])
    if (offered.includes(value)) return []
    const known =
      offered.find((one) => isNear(one, value)) ??
      (AllowedValues || !SUMMED_UP.includes(described?.Platform) ? undefined : await moreUsed(record, field, value, more, reading)) ??
      [await before(field)].find((one): one is string => typeof one === 'string' && one !== value && isNear(one, value))
    return known === undefined ? [] : [{ field, value, known }]
  })
  return (await Promise.all(near)).flat()
}

/** The texts in fields that have a set of values: of an input as such, of filters where they are compared as a whole. */
function givenIn(record: RecordType, values: unknown): Given[] {
  return Object.entries(Object(values) as Row).flatMap(([field, given]) => {
    const { kind } = (Object.hasOwn(record.fields, field) && record.fields[field]) || {}
    if (kind !== 'choice' && kind !== 'choices') return []
    return textsComparedIn(given).map((value) => ({ field, value }))
  })
}

/** The near value that so many records more have, of the field that the summary groups by. */
async function moreUsed(record: RecordType, field: string, value: string, more: number, reading: Reading): Promise<string | undefined> {
  const summary = field === record.state ? OPERATIONS.find((one) => one.verb === 'getSummary' && one.record.name === record.name) : undefined
  const answer = summary && (await read(reading, summary, {}))
  const shares = ((answer?.[`By${field}`] ?? []) as readonly Row[]).map((share) => ({ value: share[field], count: share.Count as number }))
  const own = shares.find((share) => share.value === value)?.count ?? 0
  // The largest come first.
  const known = shares.find((share) => typeof share.value === 'string' && share.value !== value && share.count >= own + more && isNear(share.value, value))
  return known?.value as string | undefined
}
