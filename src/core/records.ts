import type { RecordType } from '../contract/record.ts'
import type { StoredRecord, Value } from '../platforms/platform.ts'

const answered = new WeakMap<RecordType, readonly string[] | undefined>()

/** A record as it is answered: without what is the connector's own affair. */
export function shown(type: RecordType, record: StoredRecord): StoredRecord {
  if (!answered.has(type)) {
    const all = Object.entries(type.fields)
    const names = all.flatMap(([name, { access }]) => (access === 'secret' ? [] : [name]))
    answered.set(type, names.length < all.length ? names : undefined)
  }
  const names = answered.get(type)
  if (!names) return record
  return Object.fromEntries(names.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]])))
}

const births = new WeakMap<RecordType, readonly { readonly name: string; readonly atBirth: Value }[]>()

/** A new record: what was given, what it is born with, null for the rest. */
export function born(type: RecordType, birth: { readonly id: string; readonly at: string }, given: { readonly [name: string]: unknown }): StoredRecord {
  let fields = births.get(type)
  if (!fields) {
    fields = Object.entries(type.fields).map(([name, { atBirth = null }]) => ({ name, atBirth: atBirth as Value }))
    births.set(type, fields)
  }
  const record: StoredRecord = {}
  for (const { name, atBirth } of fields) record[name] = (given[name] ?? atBirth) as StoredRecord[string]
  record[type.id] = birth.id
  record[type.born] = birth.at
  if (type.revised) {
    record.UpdatedDate = birth.at
    record.Revision = 1
  }
  return record
}

/** The fields that every change sets. */
export function revised(record: StoredRecord, at: string): StoredRecord {
  return { UpdatedDate: at > (record.UpdatedDate as string) ? at : (record.UpdatedDate as string), Revision: (record.Revision as number) + 1 }
}
