import type { CallOutcome, CrmError } from 'crm-connector'
import type { Operation } from 'crm-connector/contract'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSession } from '../session/session.ts'
import type { Json } from './form/json.ts'
import type { Options } from './options-form.tsx'

/** What became of a call. */
export type Outcome =
  | { readonly state: 'none' }
  | { readonly state: 'running' }
  | ({ readonly state: 'answered'; readonly answer: unknown; readonly ms: number; readonly dryRun: boolean } & CallOutcome)
  | { readonly state: 'refused'; readonly error: CrmError; readonly ms: number }

/** Carries an operation out, once at a time. What was asked for and is not waited for any more may still be done. */
export function useRun(operation: Operation) {
  const { crm } = useSession()
  const [outcome, setOutcome] = useState<Outcome>({ state: 'none' })
  const waiting = useRef(new AbortController())

  useEffect(() => () => waiting.current.abort(), [])

  const run = useCallback(
    async (input: Json, { idempotencyKey, dryRun, confirmation }: Options & { readonly confirmation?: string | undefined }) => {
      waiting.current.abort()
      waiting.current = new AbortController()
      const { signal } = waiting.current
      setOutcome({ state: 'running' })
      const began = performance.now()
      let known: CallOutcome = {}
      try {
        const answer = await crm.call(operation.id as string, input, {
          signal,
          retries: 0,
          idempotencyKey: idempotencyKey || undefined,
          dryRun: dryRun || undefined,
          confirmation,
          onOutcome(outcome) {
            known = outcome
          },
        })
        if (!signal.aborted) setOutcome({ state: 'answered', answer, ms: performance.now() - began, dryRun, ...known })
      } catch (error) {
        if (!signal.aborted) setOutcome({ state: 'refused', error: error as CrmError, ms: performance.now() - began })
      }
    },
    [crm, operation],
  )

  const forget = useCallback(() => {
    waiting.current.abort()
    setOutcome({ state: 'none' })
  }, [])
  return { outcome, run, forget }
}
