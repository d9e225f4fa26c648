import {
  checkingChanges,
  createPlanner,
  createSender,
  type FileRow,
  type Findings,
  forecast,
  gatherFindings,
  importFile,
  NO_FINDINGS,
  type RejectedRow,
  type Repeats,
  RowKeys,
  repeatCounter,
  runNameOf,
  type Tally,
  withAllFaults,
} from 'crm-connector/files'
import { useCallback, useRef, useState } from 'react'
import type { Reached } from '../parts/progress.tsx'
import { useSession } from '../session/session.ts'
import type { ChosenFile } from './choices.ts'
import { type Corrections, correctedRow, inColumnWords } from './corrections.ts'
import { createRejects, type Rejects } from './rejects.ts'
import { sha256 } from './sha256.ts'

/** The result of a check or an import. */
export interface Result extends Tally {
  readonly rejects: Rejects
  readonly stopped: boolean
  /** Rows that have the values of an earlier one in the fields that tell records apart; counted by a check alone. */
  readonly repeats: Repeats
  /** What is unusual in the rows that can be imported; found by a check alone. */
  readonly findings: Findings
  /** The error that ended it early, if one did. */
  readonly fault?: unknown
}

export type Stage = { readonly at: 'choosing' } | { readonly at: 'checking' | 'importing'; readonly reached: Reached } | Done

/** What a check or an import has come to. */
export type Done = Result & { readonly at: 'checked' | 'imported' }

/** A file as it was chosen and corrected. */
export type Given = Pick<ChosenFile, 'file' | 'plan'> & { readonly corrections: Corrections }

interface Earlier {
  /** Rows that were rejected are skipped, and stay among these. */
  readonly rejects?: Rejects
  /** The rows that were checked before these. */
  readonly repeats?: Repeats
}

const REDRAWN_MS = 100
const ABSENT_OWNER = 'Enter the name or the e-mail address of a user, or leave the cell empty.'

/** Checks and imports a file. What was imported stays, and is recognised when the same file is imported again. */
export function useImport() {
  const { crm } = useSession()
  const [stage, setStage] = useState<Stage>({ at: 'choosing' })
  const [stopping, setStopping] = useState(false)
  const stop = useRef(new AbortController())

  const pass = useCallback(
    async ({ file, plan, corrections }: Given, at: 'checking' | 'importing', earlier: Earlier = {}): Promise<Result> => {
      stop.current = new AbortController()
      setStopping(false)
      const { signal } = stop.current
      const dryRun = at === 'checking'
      const rejects = earlier.rejects ?? createRejects(file)
      const skipped = new Set(earlier.rejects?.lines)
      const repeats = repeatCounter(plan, sha256, earlier.repeats)
      const how = { signal, digest: sha256, absentOwnerHint: ABSENT_OWNER }
      const check = checkingChanges(crm, plan.target, createSender(crm, plan.target, { ...how, dryRun: true }))
      const sender = dryRun ? check : createSender(crm, plan.target, { ...how, dryRun })
      const planner = () => createPlanner(plan, { keys: new RowKeys(runNameOf(file.name), sha256) })
      const inWords = (rows: readonly RejectedRow[]) => rows.map((row) => inColumnWords(plan, row))
      const findings = gatherFindings(crm, plan)
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
            yield { rows: rows.flatMap((row) => (skipped.has(row.line) ? [] : [correctedRow(row, plan, corrections)])), part }
            // Lets the page handle events between two pieces.
            await new Promise((resolve) => setTimeout(resolve))
          }
        },
      }
      const send: typeof sender = async (rows) => {
        const answered = await sender(rows)
        const sent = dryRun ? forecast(plan, rows, answered, repeats) : answered
        if (dryRun) {
          const rejected = new Set(sent.rejected.map(({ row }) => row))
          await findings.add(rows.filter(({ row }) => !rejected.has(row)))
        }
        counts = { created: counts.created + sent.created, updated: counts.updated + sent.updated, known: counts.known + sent.known }
        return sent
      }
      const what = plan.target.type.plural
      const faultsOf = async (rows: readonly FileRow[]) => {
        const found: RejectedRow[] = []
        const parts = { file: inPage(rows), plan: planner(), send: check, rejects: { add: (some: readonly RejectedRow[]) => found.push(...some) } }
        await importFile({ ...parts, stage: at, what }, { signal })
        return inWords(found)
      }
      try {
        const tally = await importFile(
          { file: source, plan: planner(), send, rejects: { add: (rows) => rejects.add(inWords(rows)) }, stage: at, what },
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
        if (!signal.aborted) {
          const rejected = rejects.first.filter(({ row }) => !skipped.has(row.line))
          // That a row is rejected is known; what else is wrong with it is told where it can be found out.
          rejects.replace(await withAllFaults(plan, rejected, faultsOf).catch(() => rejected))
        }
        const found = dryRun && !signal.aborted ? await findings.result() : NO_FINDINGS
        return { ...tally, rejects, stopped: signal.aborted, repeats, findings: found }
      } catch (fault) {
        return { rows: 0, ...counts, rejects, stopped: signal.aborted, repeats, findings: NO_FINDINGS, ...(!signal.aborted && { fault }) }
      }
    },
    [crm],
  )

  return {
    stage,
    check: useCallback(
      async (given: Given) => {
        const result = await pass(given, 'checking')
        setStage(result.stopped ? { at: 'choosing' } : { at: 'checked', ...result })
      },
      [pass],
    ),
    /** Rows that the check has rejected are skipped, and stay among the rejects. */
    run: useCallback(async (given: Given, { rejects }: Done) => setStage({ at: 'imported', ...(await pass(given, 'importing', { rejects })) }), [pass]),
    /** Checks or imports the first rejected rows once more, as they are now. Their keys are made of their values, so that none is imported twice. */
    again: useCallback(
      async (given: Given, { fault: _, ...before }: Done) => {
        const { rejects, repeats } = before
        const first = [...rejects.first]
        const file = { ...given.file, ...inPage(first.map(({ row }) => row)) }
        const result = await pass({ ...given, file }, before.at === 'checked' ? 'checking' : 'importing', { repeats })
        const isDone = !result.stopped && result.fault === undefined
        // What was imported before a stop is, and what was checked before it is not counted, since its rows are to be checked again.
        const isKept = isDone || before.at === 'imported'
        rejects.take()
        rejects.add(isDone ? result.rejects.first : first)
        setStage({
          ...before,
          ...(isKept && {
            created: before.created + result.created,
            updated: before.updated + result.updated,
            known: before.known + result.known,
          }),
          findings: bothFindings(before.findings, result.findings),
          repeats: isDone ? result.repeats : repeats,
          ...(result.fault !== undefined && { fault: result.fault }),
        })
      },
      [pass],
    ),
    /** It is to stop, and waits for the calls under way. */
    stopping,
    stop: useCallback(() => {
      setStopping(true)
      stop.current.abort()
    }, []),
    back: useCallback(() => setStage({ at: 'choosing' }), []),
  }
}

/** Rows that are in the page, read like those of a file. */
const inPage = (rows: readonly FileRow[]) => ({
  async *read() {
    yield { rows, part: 1 }
  },
})

/** Those of the rows that were right at once, and of those that were corrected. */
function bothFindings(one: Findings, other: Findings): Findings {
  const fields = new Map([...one.newValues, ...other.newValues].map((found) => [found.field, found]))
  const of = (field: string, which: 'values' | 'known') => [
    ...new Set([...one.newValues, ...other.newValues].flatMap((found) => (found.field === field ? found[which] : []))),
  ]
  return {
    existing: one.existing + other.existing,
    newValues: [...fields.values()].map((found) => ({ ...found, values: of(found.field, 'values'), known: of(found.field, 'known') })),
  }
}
