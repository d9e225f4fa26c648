import type { Event } from '../../contract/records/event.ts'
import type { Row } from './cells.ts'
import { cut, inOneLine, padded, widthOf } from './text.ts'
import type { View } from './views.ts'

/** Users by their ids. */
export type Who = ReadonlyMap<string, string>

/** What a record is called, by the first of these that it has. */
const NAMES = ['OpportunityName', 'Subject', 'CampaignName', 'ObjectName', 'Name', 'Note', 'Comment', 'Label', 'URL'] as const

const TYPE_WIDTH = 22

/** One event in one line: when, what, which record, what of it, who. */
export function eventLine({ At, Type, RecordID, UserID, ChangedFields, Record }: Event, who: Who, { width, paint }: View): string {
  const time = At.replace('T', ' ').replace(/\.\d+Z$/, 'Z')
  const by = `by ${inOneLine(who.get(UserID) ?? UserID)}`
  const fields = /\.updated$/.test(Type) ? ChangedFields.join(', ') : ''
  const rest = [nameOf(Record), fields && `(${fields})`, by].filter(Boolean).join(' ')
  const before = widthOf(time) + 2 + Math.max(TYPE_WIDTH, widthOf(Type)) + 2 + widthOf(RecordID) + 2
  return `${paint.dim(time)}  ${paint[colourOf(Type)](padded(Type, TYPE_WIDTH))}  ${paint.cyan(RecordID)}  ${cut(rest, Math.max(20, width - before))}`
}

function nameOf(record: Event['Record']): string {
  const fields: Row = record ?? {}
  const { FirstName, LastName } = fields
  const name = FirstName === undefined ? NAMES.map((field) => fields[field]).find((value) => typeof value === 'string') : `${FirstName} ${LastName}`
  return cut(inOneLine(String(name ?? '')), 40)
}

function colourOf(type: string): 'green' | 'yellow' | 'red' | 'blue' {
  if (/\.(created|added_to_campaign|\w+_added)$/.test(type)) return 'green'
  if (/\.(deleted|erased|revoked|removed_from_campaign|\w+_removed)$/.test(type)) return 'red'
  return /\.updated$/.test(type) ? 'yellow' : 'blue'
}
