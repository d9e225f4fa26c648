import type { CallOutcome, CrmError } from 'crm-connector'
import type { Operation } from 'crm-connector/contract'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useSession } from '../session/session.ts'
import type { Json } from './form/json.ts'
import type { Options } from './options-form.tsx'

export type Outcome =
  | { readonly state: 'none' }
  | { readonly state: 'running' }
  | ({ readonly state: 'answered'; readonly answer: unknown; readonly ms: number; readonly dryRun: boolean } & CallOutcome)
  | { readonly state: 'refused'; readonly error: CrmError; readonly ms: number }

/** Runs an operation, one call at a time. An aborted call may still be executed by the service. */
export function useRun(operation: Operation) {
  const { crm } = useSession()
  const [outcome, setOutcome] = useState<Outcome>({ state: 'none' })
  const controller = useRef(new AbortController())

  useEffect(() => () => controller.current.abort(), [])

  const run = useCallback(
    async (input: Json, { idempotencyKey, dryRun, confirmation }: Options & { readonly confirmation?: string | undefined }) => {
      controller.current.abort()
      controller.current = new AbortController()
      const { signal } = controller.current
      setOutcome({ state: 'running' })
      const startedAt = performance.now()
      let outcomeSoFar: CallOutcome = {}
      try {
        const answer = await crm.call(operation.id as string, input, {
          signal,
          retries: 0,
          idempotencyKey: idempotencyKey || undefined,
          dryRun: dryRun || undefined,
          confirmation,
          onOutcome(outcome) {
            outcomeSoFar = outcome
          },
        })
        if (!signal.aborted) setOutcome({ state: 'answered', answer, ms: performance.now() - startedAt, dryRun, ...outcomeSoFar })
      } catch (error) {
        if (!signal.aborted) setOutcome({ state: 'refused', error: error as CrmError, ms: performance.now() - startedAt })
      }
    },
    [crm, operation],
  )

  const reset = useCallback(() => {
    controller.current.abort()
    setOutcome({ state: 'none' })
  }, [])
  return { outcome, run, reset }
}
