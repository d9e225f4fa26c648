import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { codesOf } from './answered-errors.ts'
import type { Api, Row } from './api.ts'
import { any, quoted } from './soql.ts'
import { sosl, termsFor } from './sosl.ts'

/** What records of a type are searched in. */
export interface Searched {
  readonly type: string
  readonly table: Table
  /** What they are limited to, such as leads that are not converted. */
  readonly only: readonly string[]
}

/** Salesforce answers with so many records at most, of all objects together. */
const MOST = 2000

/** The ids of records that have these words, by the objects that they are of. */
export async function searchedIds(api: Api, searched: readonly Searched[], text: string, limit: number): Promise<Map<Table, Set<string>>> {
  const found = new Map<Table, Set<string>>(searched.map(({ table }) => [table, new Set()]))
  const note = (table: Table | undefined, id: string) => table && found.get(table)?.add(id)
  const most = Math.min(limit, MOST)
  await Promise.all([
    byWords(api, searched, text, most).then((rows) => {
      for (const { Id, attributes } of rows)
        note(searched.find(({ table }) => table.object === (attributes as { readonly type?: string } | undefined)?.type)?.table, Id)
    }),
    ...searched.map(async (one) => {
      for (const { Id } of await byPhone(api, one, text, most)) note(one.table, Id)
    }),
  ])
  return found
}

async function byWords(api: Api, searched: readonly Searched[], text: string, limit: number): Promise<readonly Row[]> {
  const terms = termsFor(text)
  if (terms === undefined || searched.length === 0) return []
  // Each object is named once, also where several types of ours live in it.
  const objects = new Map(
    searched.map(({ table, only }) => [
      table.object,
      `${table.object}(Id${only.length > 0 ? ` WHERE ${only.join(' AND ')}` : ''} ORDER BY CreatedDate DESC LIMIT ${limit})`,
    ]),
  )
  const path = `/search?q=${encodeURIComponent(sosl(terms, [...objects.values()]))}`
  const { searchRecords } = await api.send<{ readonly searchRecords: readonly Row[] }>({ method: 'GET', path }).catch((error: unknown) => {
    // A text that Salesforce cannot look for, such as one of common words alone, is found nowhere.
    if (error instanceof DriverError && codesOf(error).includes('MALFORMED_SEARCH')) return { searchRecords: [] }
    throw error
  })
  return searchRecords
}

/** Fewer digits than this are not taken for a phone number. */
const FEWEST_DIGITS = 5
/** So many last digits of a number are the same with and without its country code. */
const LOCAL_DIGITS = 8

/** A phone number is found in any spelling: whatever stands between its digits, and with or without its country code. */
async function byPhone(api: Api, { table, only }: Searched, text: string, limit: number): Promise<readonly Row[]> {
  const digits = /^[+\d\s()./-]+$/.test(text) ? text.replace(/\(0\)/g, '').replace(/\D/g, '').replace(/^0+/, '') : ''
  const places = Object.values(table.fields).filter((place) => place?.kind === 'phone' && place.filters !== false)
  if (digits.length < FEWEST_DIGITS || places.length === 0) return []
  const spread = (some: string) => [...some].join('%')
  const patterns = [`%${spread(digits)}%`, ...(digits.length > LOCAL_DIGITS ? [`%${spread(digits.slice(-LOCAL_DIGITS))}`] : [])]
  const matches = any(places.flatMap((place) => patterns.map((pattern) => `${place?.name} LIKE ${quoted(pattern)}`)))
  return (await api.query(`SELECT Id FROM ${table.object} WHERE ${[matches, ...only].join(' AND ')} ORDER BY CreatedDate DESC LIMIT ${limit}`)).records
}
