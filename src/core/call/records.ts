import type { AllOf, RecordType } from '../../contract/record.ts'
import type { Query, Reader, StoredRecord, Value } from '../../platforms/platform.ts'

/** A stored record of a type, with its members as the contract has them, secret ones included. */
export type RecordOf<T extends RecordType> = StoredRecord & AllOf<T>

export async function getRecord<T extends RecordType>(reader: Pick<Reader, 'get'>, type: T, id: string): Promise<RecordOf<T> | undefined> {
  return (await reader.get(type.name, id)) as RecordOf<T> | undefined
}

/** The whole records of a type that a query finds; `fields` would leave members out that the type promises. */
export async function findRecords<T extends RecordType>(reader: Pick<Reader, 'find'>, type: T, query: Omit<Query, 'fields'>): Promise<readonly RecordOf<T>[]> {
  return (await reader.find(type.name, query)).records as readonly RecordOf<T>[]
}

/** A record's id, whatever its type. */
export const idOf = (type: RecordType, record: StoredRecord): string => record[type.id] as string

/** The field of an attached record that holds its parent's id. */
export const parentField = (type: RecordType): string => type.childOf?.field as string

interface Answer {
  /** The names that are answered, where that is not all. */
  readonly names: readonly string[] | undefined
  /** The default values of fields that always have one and are absent on the platform. */
  readonly always: readonly (readonly [string, Value])[]
}

const answers = new WeakMap<RecordType, Answer>()

/** A record as it is answered: without secret fields. */
export function shown(type: RecordType, record: StoredRecord): StoredRecord {
  let answer = answers.get(type)
  if (!answer) {
    answer = answerOf(type)
    answers.set(type, answer)
  }
  const { names, always } = answer
  if (!names && always.length === 0) return record
  const answered = names ? Object.fromEntries(names.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]]))) : { ...record }
  for (const [name, value] of always) if (answered[name] === null) answered[name] = value
  return answered
}

function answerOf(type: RecordType): Answer {
  const all = Object.entries(type.fields)
  const names = all.flatMap(([name, { access }]) => (access === 'secret' ? [] : [name]))
  const always = all.flatMap(([name, { absent, defaultValue }]) =>
    absent !== undefined && defaultValue !== undefined ? [[name, defaultValue as Value] as const] : [],
  )
  return { names: names.length < all.length ? names : undefined, always }
}

type Create = (identity: { readonly id: string; readonly at: string }, given: { readonly [name: string]: unknown }, owner?: string) => StoredRecord

const creators = new WeakMap<RecordType, Create>()

/** A new record: the given values, the defaults of the contract, null for the rest; with this owner, where none is given. */
export function newRecord<T extends RecordType>(type: T, ...values: Parameters<Create>): RecordOf<T> {
  let create = creators.get(type)
  if (!create) {
    create = creatorOf(type)
    creators.set(type, create)
  }
  return create(...values) as RecordOf<T>
}

/**
 * Generates one object literal with the contract's names, because filling an object in a loop takes several times as long. It shows in the row
 * "Import of 100,000 leads from CSV" of bench/results/import.md.
 */
function creatorOf(type: RecordType): Create {
  const set: { readonly [name: string]: string } = {
    [type.id]: 'identity.id',
    [type.createdField]: 'identity.at',
    ...(type.revised && { UpdatedDate: 'identity.at', Revision: '1' }),
  }
  const members = Object.entries(type.fields).map(([name, { defaultValue = null }]) => {
    const key = JSON.stringify(name)
    const owner = name === 'OwnerID' ? ' ?? owner' : ''
    return `${key}: ${set[name] ?? `given[${key}]${owner} ?? ${JSON.stringify(defaultValue)}`}`
  })
  return new Function('identity', 'given', 'owner', `return { ${members.join(', ')} }`) as Create
}

/** Whether a record has these values already, so that setting them changes nothing. */
export function hasValues(record: StoredRecord, values: { readonly [name: string]: unknown }): boolean {
  return Object.entries(values).every(([name, value]) => JSON.stringify(record[name] ?? null) === JSON.stringify(value))
}

/** The fields that every change sets. */
export function nextRevision(record: StoredRecord, at: string): { UpdatedDate: string; Revision: number } {
  return { UpdatedDate: at > (record.UpdatedDate as string) ? at : (record.UpdatedDate as string), Revision: (record.Revision as number) + 1 }
}
