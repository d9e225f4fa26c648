import type { Retry, StoredRecord } from '../../platform.ts'
import { sorting } from '../engine/comparison.ts'
import type { Connection } from '../engine/connection.ts'
import type { Created, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import type { SalesforceError } from './answered-errors.ts'
import type { Api, Row } from './api.ts'
import { notRetryable, sendEach } from './each.ts'
import { driverError, isNoObject, notShown } from './errors.ts'
import { isId } from './ids.ts'
import { contentOf, textIn } from './note-text.ts'
import { recordOf } from './records.ts'
import { slices } from './selection.ts'
import { list, quoted } from './soql.ts'
import { titleOf } from './titles.ts'

/** Notes in one query, and requests for their texts at a time. */
const TOGETHER = 300
const AT_A_TIME = 8

/** Linked so that every user who can see the record can read the note. */
const LINK = { ShareType: 'V', Visibility: 'AllUsers' }

interface Composite {
  readonly compositeResponse: readonly { readonly body: { readonly id?: string } | readonly SalesforceError[]; readonly httpStatusCode: number }[]
}

/** Modern notes: each is a document that is linked to its parent record; its text is loaded separately. */
export function createContentNotes(api: Api, connection: Connection, table: Table, parentPrefixes: readonly (string | undefined)[], retry: Retry) {
  const columns = 'Id, CreatedById, CreatedDate'

  /** The rows of notes, one for each of the parents of each. */
  async function documents(ids: readonly string[], parentsOf: (id: string) => readonly string[]): Promise<Row[]> {
    const rows: Row[] = []
    for (const some of slices(ids, TOGETHER)) {
      const found = await api.everything(`SELECT ${columns} FROM ${table.object} WHERE Id IN ${list(some.map(quoted))}`)
      rows.push(...found.flatMap((row) => parentsOf(row.Id).map((LinkedEntityId) => ({ ...row, LinkedEntityId }))))
    }
    return rows
  }

  /** The rows of those of these notes that are linked to records of ours. */
  async function linked(ids: readonly string[]): Promise<Row[]> {
    const parents = new Map<string, string[]>()
    for (const some of slices([...new Set(ids.filter(isId))], TOGETHER)) {
      const links = await api.everything(
        `SELECT ContentDocumentId, LinkedEntityId FROM ContentDocumentLink WHERE ContentDocumentId IN ${list(some.map(quoted))}`,
      )
      for (const { ContentDocumentId, LinkedEntityId } of links) {
        const [id, parent] = [String(ContentDocumentId), String(LinkedEntityId)]
        if (parentPrefixes.includes(parent.slice(0, 3))) parents.set(id, [...(parents.get(id) ?? []), parent])
      }
    }
    return documents([...parents.keys()], (id) => parents.get(id) ?? [])
  }

  async function linkedTo(parents: readonly string[]): Promise<string[]> {
    const ids: string[] = []
    for (const some of slices(parents.filter(isId), TOGETHER)) {
      const soql = `SELECT ContentDocumentId FROM ContentDocumentLink WHERE LinkedEntityId IN ${list(some.map(quoted))} AND ContentDocument.FileType = 'SNOTE'`
      ids.push(...(await api.everything(soql)).map((row) => row.ContentDocumentId as string))
    }
    return ids
  }

  /** The notes of these rows with their texts, each of which is read once. */
  async function whole(rows: readonly Row[]): Promise<StoredRecord[]> {
    const ids = [...new Set(rows.map(({ Id }) => Id))]
    const texts = new Map(await eachOf(ids, async (id) => [id, await textOf(id)] as const))
    return rows.map((row) => recordOf('Note', table, { ...row, Content: texts.get(row.Id) }))
  }

  async function textOf(id: string): Promise<string> {
    const { text } = await connection.send({ method: 'GET', path: `${api.base}/sobjects/${table.object}/${id}/Content` })
    return textIn(text)
  }

  /** Creates notes and their links atomically. */
  async function createOne({ RecordID, Note }: StoredRecord): Promise<PerItem<Created>> {
    const text = String(Note)
    const url = `${api.base}/sobjects`
    const { compositeResponse } = await api.send<Composite>({
      method: 'POST',
      path: '/composite',
      several: true,
      body: {
        allOrNone: true,
        compositeRequest: [
          { method: 'POST', url: `${url}/${table.object}`, referenceId: 'note', body: { Title: titleOf(text), Content: contentOf(text) } },
          {
            method: 'POST',
            url: `${url}/ContentDocumentLink`,
            referenceId: 'link',
            body: { ContentDocumentId: '@{note.id}', LinkedEntityId: RecordID, ...LINK },
          },
        ],
      },
    })
    const wrong = compositeResponse.filter(({ httpStatusCode }) => httpStatusCode >= 400).map(({ body }) => body as readonly SalesforceError[])
    const errors = wrong.flat().filter(({ errorCode }) => errorCode !== 'PROCESSING_HALTED')
    if (wrong.length > 0) {
      const error = driverError(errors.length > 0 ? errors : wrong.flat(), 400, table)
      return isNoObject(errors) ? notShown(table.object, error) : error
    }
    const [note] = compositeResponse
    return { id: (note as { readonly body: { readonly id: string } }).body.id }
  }

  return {
    create(records: readonly StoredRecord[]): Promise<PerItem<Created>[]> {
      const drafts = records.map((record) => ({ table, record }))
      return sendEach(drafts, retry, (some) => eachOf(some, ({ record }) => createOne(record).catch(orError)))
    },

    linked,
    linkedTo,
    whole,

    /** A note of several records is read as one of the last of them. */
    async get(ids: readonly string[]): Promise<StoredRecord[]> {
      return whole([...new Map((await linked(ids)).map((row) => [row.Id, row])).values()])
    },

    /** All notes of a record are sorted in memory; only the texts of a page are read. */
    async find({ where, order = { field: 'NoteID', descending: false }, from, size, cursor }: DriverQuery): Promise<DriverPage> {
      const parent = String(where.find(({ field }) => field === 'RecordID')?.value ?? '')
      const rows = await documents(await linkedTo([parent]), () => [parent])
      const sorts = sorting(order, 'NoteID')
      const keyed = rows.map((row) => ({ row, record: recordOf('Note', table, row) })).sort((a, b) => sorts(a.record, b.record))
      const begins: StoredRecord | undefined = cursor === undefined ? undefined : (JSON.parse(cursor) as StoredRecord)
      const edge = from && { [order.field]: from.value }
      const left = keyed.filter(
        ({ record }) => (!begins || sorts(record, begins) > 0) && (!edge || record[order.field] === from.value || sorts(record, { ...record, ...edge }) >= 0),
      )
      const last = left[size - 1]?.record
      const records = await whole(left.slice(0, size).map(({ row }) => row))
      return { records, ...(left.length > size && last && { cursor: JSON.stringify({ NoteID: last.NoteID, [order.field]: last[order.field] }) }) }
    },

    count: async ({ where }: Pick<DriverQuery, 'where'>) => (await linkedTo([String(where.find(({ field }) => field === 'RecordID')?.value ?? '')])).length,
  }
}

export type ContentNotes = ReturnType<typeof createContentNotes>

function orError(error: unknown): DriverError {
  if (error instanceof DriverError) return notRetryable(error)
  throw error
}

/** Maps all items, with limited concurrency. */
async function eachOf<T, R>(items: readonly T[], make: (item: T) => Promise<R>): Promise<R[]> {
  const made: R[] = []
  for (const some of slices(items, AT_A_TIME)) made.push(...(await Promise.all(some.map(make))))
  return made
}
