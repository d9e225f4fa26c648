import type { Event } from 'crm-connector'
import { useEffect, useRef, useState } from 'react'
import type { Answer } from '../data/answer.ts'
import { useAnswer } from '../data/answer.ts'
import { useLive } from '../data/live.tsx'
import { RECORD_PAGES } from '../journal/change-text.ts'
import { useSession } from '../session/session.ts'

/** One change of a record, from the journal or from a live event. */
export interface Activity {
  readonly id: string
  /** `lead.created`. */
  readonly type: string
  readonly at: string
  readonly recordType: string
  readonly recordId: string
  readonly userId: string
  /** Created again by undoing a delete. */
  readonly isRestored: boolean
  /** The record, or the note or membership that was added to it. */
  readonly image: { readonly [field: string]: unknown } | null
  /** Arrived while the page was open. */
  readonly isNew: boolean
}

/** Only records: changes of keys, users and webhooks are on the page Changes. */
const TYPES = Object.keys(RECORD_PAGES)

const isCreation = (type: string | null) => type?.endsWith('.created') ?? false

const MAX_SHOWN = 30

/** An import emits thousands of events; they are rendered in batches. */
const BATCH_MS = 250

/** The latest changes of records from the journal, then live events, newest first. */
export function useActivity(): Answer<readonly Activity[]> & { readonly live: boolean } {
  const { crm, may } = useSession()
  const allowed = may('get_many_changes')
  const recent = useAnswer(async (signal) => (allowed ? await latest(signal) : []), [crm, allowed])
  const [liveEntries, setLiveEntries] = useState<readonly Activity[]>([])
  const buffer = useRef<Activity[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  async function latest(signal: AbortSignal): Promise<readonly Activity[]> {
    const { Records } = await crm.changes.getMany({ Filters: { EventType: { ne: null }, RecordType: { in: TYPES } }, Limit: MAX_SHOWN }, { signal })
    return Records.map((change) => ({
      id: change.ChangeID,
      type: change.EventType ?? '',
      at: change.At,
      recordType: change.RecordType,
      recordId: change.RecordID ?? '',
      userId: change.UserID,
      isRestored: change.Operation === 'undo_change' && isCreation(change.EventType),
      image: change.After ?? change.Before,
      isNew: false,
    }))
  }

  const live = useLive((event) => {
    if (!TYPES.includes(event.RecordType)) return
    buffer.current = [activityOf(event), ...buffer.current].slice(0, MAX_SHOWN)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const more = buffer.current
      buffer.current = []
      setLiveEntries((all) => [...more, ...all].slice(0, MAX_SHOWN))
    }, BATCH_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])

  const liveIds = new Set(liveEntries.map(({ id }) => id))
  const answer = recent.answer && [...liveEntries, ...recent.answer.filter(({ id }) => !liveIds.has(id))].slice(0, MAX_SHOWN)
  return { ...recent, answer, live }
}

const activityOf = (event: Event): Activity => ({
  id: event.ChangeID,
  type: event.Type,
  at: event.At,
  recordType: event.RecordType,
  recordId: event.RecordID,
  userId: event.UserID,
  // Events do not name their operation, but a record that is created the first time has revision 1.
  isRestored: isCreation(event.Type) && Number((event.Record as Activity['image'])?.Revision ?? 1) > 1,
  image: event.Record,
  isNew: true,
})
