import { checkingChanges, createPlanner, createSender, importFile, RowKeys, runNameOf, type Tally } from 'crm-connector/files'
import { useCallback, useRef, useState } from 'react'
import { useSession } from '../session/session.ts'
import type { ChosenFile } from './choices.ts'
import type { Reached } from './progress.tsx'
import { createRejects, type Rejects } from './rejects.ts'
import { sha256 } from './sha256.ts'

/** The result of a check or an import. */
export interface Result extends Tally {
  readonly rejects: Rejects
  readonly stopped: boolean
  /** The error that ended it early, if one did. */
  readonly fault?: unknown
}

export type Stage =
  | { readonly at: 'choosing' }
  | { readonly at: 'checking' | 'importing'; readonly reached: Reached }
  | ({ readonly at: 'checked' | 'imported' } & Result)

const REDRAWN_MS = 100
const ABSENT_OWNER = 'Leave that column out.'

/** Checks and imports a file. What was imported stays, and is recognised when the same file is imported again. */
export function useImport() {
  const { crm } = useSession()
  const [stage, setStage] = useState<Stage>({ at: 'choosing' })
  const [stopping, setStopping] = useState(false)
  const stop = useRef(new AbortController())

  const pass = useCallback(
    async ({ file, plan }: ChosenFile, at: 'checking' | 'importing', before?: Rejects): Promise<Result> => {
      stop.current = new AbortController()
      setStopping(false)
      const { signal } = stop.current
      const dryRun = at === 'checking'
      const rejects = before ?? createRejects(file)
      const skipped = before ? new Set(before.lines) : undefined
      const sender = createSender(crm, plan.target, { dryRun, signal, digest: sha256, absentOwnerHint: ABSENT_OWNER })
      const began = performance.now()
      let [drawn, counts, reached]: [number, Pick<Tally, 'created' | 'updated' | 'known'>, Reached] = [
        0,
        { created: 0, updated: 0, known: 0 },
        { done: 0, part: 0, seconds: 0 },
      ]
      setStage({ at, reached })
      const source = {
        async *read() {
          for await (const { rows, part } of file.read()) {
            yield { rows: skipped ? rows.filter(({ line }) => !skipped.has(line)) : rows, part }
            // Lets the page handle events between two pieces.
            await new Promise((resolve) => setTimeout(resolve))
          }
        },
      }
      const send: typeof sender = async (rows) => {
        const sent = await (dryRun ? checkingChanges(crm, plan.target, sender) : sender)(rows)
        counts = { created: counts.created + sent.created, updated: counts.updated + sent.updated, known: counts.known + sent.known }
        return sent
      }
      const planRow = createPlanner(plan, { keys: new RowKeys(runNameOf(file.name), sha256) })
      try {
        const tally = await importFile(
          { file: source, plan: planRow, send, rejects, stage: at, what: plan.target.type.plural },
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
        return { rows: 0, ...counts, rejects, stopped: signal.aborted, ...(!signal.aborted && { fault }) }
      }
    },
    [crm],
  )

  return {
    stage,
    check: useCallback(
      async (chosen: ChosenFile) => {
        const result = await pass(chosen, 'checking')
        setStage(result.stopped ? { at: 'choosing' } : { at: 'checked', ...result })
      },
      [pass],
    ),
    /** Rows that the check has rejected are skipped, and stay among the rejects. */
    run: useCallback(async (chosen: ChosenFile, checked: Rejects) => setStage({ at: 'imported', ...(await pass(chosen, 'importing', checked)) }), [pass]),
    /** It is to stop, and waits for the calls under way. */
    stopping,
    stop: useCallback(() => {
      setStopping(true)
      stop.current.abort()
    }, []),
    back: useCallback(() => setStage({ at: 'choosing' }), []),
  }
}
