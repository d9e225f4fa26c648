import type { ObjectType, Portal } from '../portal.ts'
import { instant } from '../properties/values.ts'
import type { StoredRecord } from './records.ts'

/** The properties to answer: those requested, or the default ones. Unknown and hidden ones are left out. */
export function chosen(portal: Portal, type: ObjectType, requested: readonly string[]): string[] {
  const usual = ['hs_object_id', type.created, type.modified]
  const names = new Set([...usual, ...(requested.length > 0 ? requested : type.shown)])
  return [...names].filter((name) => portal.visible(type, name)).sort()
}

/** All set properties, and those that were just sent. */
export function everything(portal: Portal, type: ObjectType, record: StoredRecord, sent: readonly string[] = []): string[] {
  const names = new Set([...Object.keys(record.values), ...sent, 'hs_object_id', type.created, type.modified])
  return [...names].filter((name) => portal.visible(type, name)).sort()
}

/** A record as JSON. Every value is a text or null. */
export function shown(portal: Portal, type: ObjectType, record: StoredRecord, names: readonly string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, valueIn(type, record, name) ?? null]))
  const { archivedAt, values } = record
  return {
    id: record.id,
    properties,
    createdAt: values[type.created] ?? instant(record.createdAt),
    updatedAt: instant(record.updatedAt),
    archived: archivedAt !== undefined,
    ...(archivedAt !== undefined && { archivedAt: instant(archivedAt) }),
    url: `https://app.hubspot.com/contacts/${portal.id}/record/${type.id}/${record.id}`,
  }
}

/** The value of a property, including the id and the times. */
export function valueIn(type: ObjectType, record: StoredRecord, name: string): string | undefined {
  const value = record.values[name]
  if (value !== undefined) return value
  if (name === 'hs_object_id') return record.id
  const time = timeOf(type, record, name)
  return time === undefined ? undefined : instant(time)
}

/** The same in milliseconds, where it is when the record was created or changed. */
export function timeOf(type: ObjectType, record: StoredRecord, name: string): number | undefined {
  if (record.values[name] !== undefined) return undefined
  return name === type.created ? record.createdAt : name === type.modified ? record.updatedAt : undefined
}
