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

interface Answer {
  /** The names that are answered, where that is not all. */
  readonly names: readonly string[] | undefined
  /** What always has a value, and no place on the platform. */
  readonly always: { readonly [name: string]: Value }
}

const answers = new WeakMap<RecordType, Answer>()

/** A record as it is answered: without what is the connector's own affair. */
export function shown(type: RecordType, record: StoredRecord): StoredRecord {
  let answer = answers.get(type)
  if (!answer) {
    answer = answerOf(type)
    answers.set(type, answer)
  }
  const { names, always } = answer
  if (!names) return record
  return Object.fromEntries(names.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name] ?? always[name] ?? null]])))
}

function answerOf(type: RecordType): Answer {
  const all = Object.entries(type.fields)
  const names = all.flatMap(([name, { access }]) => (access === 'secret' ? [] : [name]))
  const always = all.flatMap(([name, { absent, atBirth }]) => (absent !== undefined && atBirth !== undefined ? [[name, atBirth as Value] as const] : []))
  return { names: names.length < all.length || always.length > 0 ? names : undefined, always: Object.fromEntries(always) }
}

type Birth = (birth: { readonly id: string; readonly at: string }, given: { readonly [name: string]: unknown }) => StoredRecord

const births = new WeakMap<RecordType, Birth>()

/** A new record: what was given, what it is born with, null for the rest. */
export function newRecord(type: RecordType, birth: { readonly id: string; readonly at: string }, given: { readonly [name: string]: unknown }): StoredRecord {
  let make = births.get(type)
  if (!make) {
    make = birthOf(type)
    births.set(type, make)
  }
  return make(birth, given)
}

/**
 * Generates one object literal with the contract's names, because filling an object in a loop takes several times as long. It shows in the row
 * "Import of 100,000 leads from CSV" of bench/results/import.md.
 */
function birthOf(type: RecordType): Birth {
  const set: { readonly [name: string]: string } = {
    [type.id]: 'birth.id',
    [type.createdField]: 'birth.at',
    ...(type.revised && { UpdatedDate: 'birth.at', Revision: '1' }),
  }
  const members = Object.entries(type.fields).map(([name, { atBirth = null }]) => {
    const key = JSON.stringify(name)
    return `${key}: ${set[name] ?? `given[${key}] ?? ${JSON.stringify(atBirth)}`}`
  })
  return new Function('birth', 'given', `return { ${members.join(', ')} }`) as Birth
}

/** The fields that every change sets. */
export function nextRevision(record: StoredRecord, at: string): { UpdatedDate: string; Revision: number } {
  return { UpdatedDate: at > (record.UpdatedDate as string) ? at : (record.UpdatedDate as string), Revision: (record.Revision as number) + 1 }
}
