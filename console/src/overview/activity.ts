import type { Event } from 'crm-connector'
import { useEffect, useRef, useState } from 'react'
import type { Answer } from '../data/answer.ts'
import { useAnswer } from '../data/answer.ts'
import { useLive } from '../data/live.tsx'
import { RECORD_PAGES } from '../journal/told.ts'
import { useSession } from '../session/session.ts'

/** Something that happened to a record. */
export interface Happened {
  readonly id: string
  /** `lead.created`. */
  readonly type: string
  readonly at: string
  readonly recordType: string
  readonly recordId: string
  readonly userId: string
  /** It was deleted before, and is there again. */
  readonly isBack: boolean
  /** The record, or what was hung on it. */
  readonly image: { readonly [field: string]: unknown } | null
  /** It came while somebody looked. */
  readonly fresh: boolean
}

/** Records alone: keys, users and webhooks come and go by the dozen, and the audit has them. */
const TYPES = Object.keys(RECORD_PAGES)

const isBorn = (type: string | null) => type?.endsWith('.created') ?? false

const KEPT = 30

/** Events of an import come by the thousand; they are shown a few times a second. */
const GATHER_MS = 250

/** The latest changes of records from the journal, and then what happens, newest first. */
export function useActivity(): Answer<readonly Happened[]> & { readonly live: boolean } {
  const { crm, may } = useSession()
  const allowed = may('get_many_changes')
  const past = useAnswer(async (signal) => (allowed ? await latest(signal) : []), [crm, allowed])
  const [since, setSince] = useState<readonly Happened[]>([])
  const gathered = useRef<Happened[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  async function latest(signal: AbortSignal): Promise<readonly Happened[]> {
    const { Records } = await crm.changes.getMany({ Filters: { EventType: { ne: null }, RecordType: { in: TYPES } }, Limit: KEPT }, { signal })
    return Records.map((change) => ({
      id: change.ChangeID,
      type: change.EventType ?? '',
      at: change.At,
      recordType: change.RecordType,
      recordId: change.RecordID ?? '',
      userId: change.UserID,
      isBack: change.Operation === 'undo_change' && isBorn(change.EventType),
      image: change.After ?? change.Before,
      fresh: false,
    }))
  }

  const live = useLive((event) => {
    if (!TYPES.includes(event.RecordType)) return
    gathered.current = [happenedIn(event), ...gathered.current].slice(0, KEPT)
    timer.current ??= setTimeout(() => {
      timer.current = undefined
      const more = gathered.current
      gathered.current = []
      setSince((all) => [...more, ...all].slice(0, KEPT))
    }, GATHER_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])

  const heard = new Set(since.map(({ id }) => id))
  const answer = past.answer && [...since, ...past.answer.filter(({ id }) => !heard.has(id))].slice(0, KEPT)
  return { ...past, answer, live }
}

const happenedIn = (event: Event): Happened => ({
  id: event.ChangeID,
  type: event.Type,
  at: event.At,
  recordType: event.RecordType,
  recordId: event.RecordID,
  userId: event.UserID,
  // An event does not say by which operation; nothing that is new was changed before.
  isBack: isBorn(event.Type) && Number((event.Record as Happened['image'])?.Revision ?? 1) > 1,
  image: event.Record,
  fresh: true,
})
