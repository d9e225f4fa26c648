import { createSender, type FileRow, type HowWritten, importFile, nameOfRun, RowKeys, type Tally } from 'crm-connector/files'
import { useCallback, useRef, useState } from 'react'
import { useSession } from '../session/session.ts'
import { checkingChanges } from '../../../src/files/sending/check-changes.ts'
import type { RowFile } from './file-rows.ts'
import type { Choices } from './mapping.ts'
import { createPlanner } from './planner.ts'
import type { Reached } from './progress.tsx'
import { createRejects, type Rejects } from './rejects.ts'
import { sha256 } from './sha256.ts'
import type { Destination } from './slots.ts'

/** All that was decided about a file. */
export interface Decided {
  readonly file: RowFile
  readonly sample: readonly FileRow[]
  readonly columns: readonly string[]
  readonly destination: Destination
  readonly choices: Choices
  readonly written: HowWritten
}

/** What became of a file. */
export interface Ended extends Tally {
  readonly rejects: Rejects
  readonly stopped: boolean
  /** What ended it before its time, where something did. */
  readonly fault?: unknown
}

export type Stage =
  | { readonly at: 'deciding' }
  | { readonly at: 'checking' | 'importing'; readonly reached: Reached }
  | ({ readonly at: 'checked' | 'imported' } & Ended)

const REDRAWN_MS = 100
const WITHOUT_OWNER = 'Leave that column out.'

/** Checks and imports files, one at a time. What was imported stays, and is known again when the same file is imported once more. */
export function useImporting() {
  const { crm } = useSession()
  const [stage, setStage] = useState<Stage>({ at: 'deciding' })
  const [stopping, setStopping] = useState(false)
  const stop = useRef(new AbortController())

  const pass = useCallback(
    async ({ file, destination, choices, written }: Decided, at: 'checking' | 'importing', before?: Rejects): Promise<Ended> => {
      stop.current = new AbortController()
      setStopping(false)
      const { signal } = stop.current
      const dryRun = at === 'checking'
      const rejects = before ?? createRejects(file)
      const skipped = before ? new Set(before.lines) : undefined
      const sender = createSender(crm, destination, { dryRun, signal, digest: sha256, withoutOwner: WITHOUT_OWNER })
      const began = performance.now()
      let [drawn, made, reached]: [number, Pick<Tally, 'created' | 'known'>, Reached] = [0, { created: 0, known: 0 }, { done: 0, part: 0, seconds: 0 }]
      setStage({ at, reached })
      const source = {
        async *read() {
          for await (const { rows, part } of file.read()) {
            yield { rows: skipped ? rows.filter(({ line }) => !skipped.has(line)) : rows, part }
            // Other things on the page get their turn between two pieces.
            await new Promise((resolve) => setTimeout(resolve))
          }
        },
      }
      const send: typeof sender = async (rows) => {
        const sent = await (dryRun ? checkingChanges(crm, destination, sender) : sender)(rows)
        made = { created: made.created + sent.created, known: made.known + sent.known }
        return sent
      }
      const plan = createPlanner({ destination, choices, written, keys: new RowKeys(nameOfRun(file.name), sha256) })
      try {
        const tally = await importFile(
          { file: source, plan, send, rejects, stage: at, what: destination.plural },
          {
            signal,
            progress({ done, part }) {
              const now = performance.now()
              reached = { done: done + (dryRun ? rejects.count : 0), part, seconds: (now - began) / 1000 }
              if (now - drawn < REDRAWN_MS) return
              drawn = now
              setStage({ at, reached })
            },
          },
        )
        return { ...tally, rejects, stopped: signal.aborted }
      } catch (fault) {
        return { rows: 0, ...made, rejects, stopped: signal.aborted, ...(!signal.aborted && { fault }) }
      }
    },
    [crm],
  )

  return {
    stage,
    check: useCallback(
      async (decided: Decided) => {
        const ended = await pass(decided, 'checking')
        setStage(ended.stopped ? { at: 'deciding' } : { at: 'checked', ...ended })
      },
      [pass],
    ),
    /** Rows that the check has rejected are left out, and stay among the rejects. */
    carryOut: useCallback(async (decided: Decided, checked: Rejects) => setStage({ at: 'imported', ...(await pass(decided, 'importing', checked)) }), [pass]),
    /** It was told to stop, and what is under way is still waited for. */
    stopping,
    stop: useCallback(() => {
      setStopping(true)
      stop.current.abort()
    }, []),
    reload: useCallback(() => setStage({ at: 'deciding' }), []),
  }
}
