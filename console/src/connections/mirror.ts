import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { numberText } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import type { Mirror } from './connection-record.ts'

/** How often the state is read again. */
const FILLING_MS = 2_000
const COMPLETE_MS = 15_000

/** The state of the mirror of the account that is in use, kept up to date. */
export function useMirror() {
  const { crm } = useSession()
  const { answer, error, reload } = useAnswer((signal) => crm.connections.getMirror({}, { signal }), [crm])
  useInterval(answer?.Complete ? COMPLETE_MS : FILLING_MS, reload)
  return { mirror: answer, error, reload }
}

/** How many records the mirror has, of how many; types that were not begun yet are not counted. */
export function progressOf({ RecordTypes }: Mirror): { readonly done: number; readonly total: number } {
  const sum = (of: (type: Mirror['RecordTypes'][number]) => number) => RecordTypes.reduce((all, type) => all + of(type), 0)
  return { done: sum(({ Records }) => Records), total: sum(({ Records, Total }) => Math.max(Records, Total ?? 0)) }
}

/** The state in a few words. */
export function mirrorText(mirror: Mirror): string {
  if (!mirror.Watched) return 'Not watched'
  const { done, total } = progressOf(mirror)
  if (mirror.Complete) return `Mirror complete · ${numberText(done)} ${done === 1 ? 'record' : 'records'}`
  return total === 0 ? 'The mirror is about to be backfilled' : `Backfilling the mirror: ${numberText(done)} of ${numberText(total)} records`
}
