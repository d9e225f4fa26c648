import type { CrmError } from '../../contract/errors.ts'
import type { Verb } from '../../contract/operation.ts'
import { operationNamed, RECORD_TYPES } from '../../contract/operations.ts'
import { requestLeft } from '../../helpers/request-left.ts'
import type { SharedBinding } from '../binding.ts'
import { execute } from '../call/execute.ts'
import type { Outcome } from '../call/types.ts'
import type { Call, Service } from '../service.ts'

/** Verbs that write to one record only, so that calls about different records may run at the same time. */
const INDEPENDENT: readonly Verb[] = ['create', 'update', 'delete', 'attach']

/** No CRM takes more in one request. The first request of a batch leaves before the calls behind it start. */
const STARTED_TOGETHER = 200

/** Whether the platform of a batch sends writes that run at the same time in one request. Where it cannot be found out, the calls report why. */
export async function isConcurrent(binding: SharedBinding): Promise<boolean> {
  try {
    return (await binding.acquire()).platform.supports.batchesRequests
  } catch {
    return false
  }
}

/** Executes writes in order, independent ones at the same time, so that the platform can send them in one request. */
export async function executeConcurrently(service: Service, calls: readonly Call[]): Promise<(Outcome | CrmError)[]> {
  const ends: (Outcome | CrmError)[] = []
  for (const run of runsOf(calls, (call) => call)) {
    const requestGroup = run.length > 1 ? (await run[0]?.binding?.acquire())?.platform.requestGroup?.() : undefined
    const running: Promise<Outcome | CrmError>[] = []
    for (let i = 0; i < run.length; i += STARTED_TOGETHER) {
      if (i > 0) await requestLeft()
      for (const call of run.slice(i, i + STARTED_TOGETHER)) running.push(execute(service, { ...call, requestGroup }).catch((error: CrmError) => error))
    }
    ends.push(...(await Promise.all(running)))
  }
  return ends
}

/** Runs of consecutive calls of which no two are about the same record, each of at most so many. */
export function runsOf<T>(items: readonly T[], callOf: (item: T) => Call, longest = Number.POSITIVE_INFINITY): T[][] {
  const runs: T[][] = []
  let ids: Set<string> | undefined
  for (const item of items) {
    const mentioned = idsIn(callOf(item))
    if (!ids || !mentioned || mentioned.some((id) => ids?.has(id)) || runs.at(-1)?.length === longest) {
      runs.push([])
      ids = mentioned && new Set()
    }
    for (const id of mentioned ?? []) ids?.add(id)
    runs.at(-1)?.push(item)
  }
  return runs
}

const IDS = RECORD_TYPES.map(({ id }) => id)

/** The records that a call is about; undefined for a call that has to run alone. */
function idsIn({ operation, input }: Call): string[] | undefined {
  const verb = operationNamed(operation)?.verb
  if (verb === undefined || !INDEPENDENT.includes(verb)) return undefined
  const given = Object(input) as { readonly [name: string]: unknown }
  return IDS.flatMap((id) => (typeof given[id] === 'string' ? [given[id]] : []))
}
