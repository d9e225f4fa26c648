import type { CrmError } from 'crm-connector'
import { OPERATIONS, type Operation, recordType } from 'crm-connector/contract'
import { useState } from 'react'
import { usePages } from '../data/pages.ts'
import { useSession } from '../session/session.ts'
import type { RecordSchema, Row } from './record-schema.ts'

/** The notes or comments of a record type, and what they are made of. */
export interface NoteKind {
  readonly list: string
  readonly total: string
  readonly type: string
  readonly id: string
  readonly text: string
  /** The flag beside the text: Publish. */
  readonly flag: string | undefined
}

/** Undefined for records that have none. */
export function noteKindOf(schema: RecordSchema): NoteKind | undefined {
  const child = recordType(schema.recordType).children.find(({ type }) => type !== 'Membership')
  if (!child) return undefined
  const { id, fields } = recordType(child.type)
  const written = Object.entries(fields).filter(([, { access }]) => access === 'create')
  const text = written.find(([, { kind }]) => kind === 'longText')?.[0] ?? child.type
  return { ...child, id, text, flag: written.find(([, { kind }]) => kind === 'boolean')?.[0] }
}

export interface LoadedNotes {
  readonly notes: readonly Row[]
  readonly more: boolean
  readonly next: () => void
  readonly loading: boolean
  readonly error: CrmError | undefined
}

/** The notes or comments of a record, newest first. The first 100 come with the record, the rest page by page. */
export function useNotes(schema: RecordSchema, kind: NoteKind | undefined, row: Row): LoadedNotes {
  const { crm } = useSession()
  const [all, setAll] = useState(false)
  const id = String(row[schema.id])
  const first = (kind && (row[kind.list] as readonly Row[] | undefined)) ?? []
  const total = Number((kind && row[kind.total]) ?? first.length)
  const pages = usePages<Row>(
    async (Cursor, signal) => {
      if (!all || !kind) return { Records: [], NextCursor: null }
      const operation = (OPERATIONS as readonly Operation[]).find((one) => one.verb === 'getAttached' && one.record.name === kind.type)
      const { childOf } = recordType(kind.type)
      return (await crm.call(operation?.id ?? '', { [childOf?.field ?? '']: id, Limit: 100, ...(Cursor && { Cursor }) }, { signal })) as {
        Records: Row[]
        NextCursor: string | null
      }
    },
    [crm, id, total, all],
  )
  const paged = all && pages.rows.length > 0
  return {
    notes: paged ? pages.rows : first,
    more: paged ? pages.more : total > first.length,
    next: paged ? pages.next : () => setAll(true),
    loading: all && pages.loading,
    error: pages.error,
  }
}
