import type { Event } from 'crm-connector'
import { useEffect, useRef, useState } from 'react'
import type { Answer } from '../data/answer.ts'
import { useAnswer } from '../data/answer.ts'
import { useLive } from '../data/live.tsx'
import { RECORD_PAGES } from '../journal/change-text.ts'
import { useSession } from '../session/session.ts'

/** Something that happened to a record. */
export interface Activity {
  readonly id: string
  /** `lead.created`. */
  readonly type: string
  readonly at: string
  readonly recordType: string
  readonly recordId: string
  readonly userId: string
  /** It was deleted before, and is there again. */
  readonly isRestored: boolean
  /** The record, or what was hung on it. */
  readonly image: { readonly [field: string]: unknown } | null
  /** It came while somebody looked. */
  readonly isNew: boolean
}

/** Records alone: keys, users and webhooks come and go by the dozen, and the audit has them. */
const TYPES = Object.keys(RECORD_PAGES)

const isCreation = (type: string | null) => type?.endsWith('.created') ?? false

const MAX_SHOWN = 30

/** Events of an import come by the thousand; they are shown a few times a second. */
const BATCH_MS = 250

/** The latest changes of records from the journal, and then what happens, newest first. */
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
  // An event does not say by which operation; nothing that is new was changed before.
  isRestored: isCreation(event.Type) && Number((event.Record as Activity['image'])?.Revision ?? 1) > 1,
  image: event.Record,
  isNew: true,
})
