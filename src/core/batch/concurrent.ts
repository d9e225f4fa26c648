import type { CrmError } from '../../contract/errors.ts'
import type { Verb } from '../../contract/operation.ts'
import { findOperation, RECORD_TYPES } from '../../contract/operations.ts'
import { execute } from '../call/execute.ts'
import type { Outcome } from '../journal/journal.ts'
import { type Call, platformOf, type Service } from '../service.ts'

/** What does nothing but write to one record, so that many may be under way at once. */
const INDEPENDENT: readonly Verb[] = ['create', 'update', 'delete', 'attach']

/** Whether the platform of a batch sends writes together. */
export function isGathered(service: Service, calls: readonly Call[]): boolean {
  const [first] = calls
  return first !== undefined && platformOf(service, first.caller.workspace).supports.batchesRequests
}

/** Carries out writes in order, those that have nothing to do with each other at the same time, so that the platform can send them together. */
export async function carryOutGathered(service: Service, calls: readonly Call[]): Promise<(Outcome | CrmError)[]> {
  const ends: (Outcome | CrmError)[] = []
  for (const run of runsOf(calls)) {
    const [{ caller }] = run as [Call]
    const together = run.length > 1 ? platformOf(service, caller.workspace).requestGroup?.() : undefined
    ends.push(...(await Promise.all(run.map((call) => execute(service, { ...call, requestGroup: together }).catch((error: CrmError) => error)))))
  }
  return ends
}

/** Calls that follow each other and of which no two are about the same record. */
function runsOf(calls: readonly Call[]): Call[][] {
  const runs: Call[][] = []
  let ids: Set<string> | undefined
  for (const call of calls) {
    const mentioned = idsIn(call)
    if (!ids || !mentioned || mentioned.some((id) => ids?.has(id))) {
      runs.push([])
      ids = mentioned && new Set()
    }
    for (const id of mentioned ?? []) ids?.add(id)
    runs.at(-1)?.push(call)
  }
  return runs
}

const IDS = RECORD_TYPES.map(({ id }) => id)

/** The records that a call is about; undefined for one that has to be carried out by itself. */
function idsIn({ operation, input }: Call): string[] | undefined {
  try {
    if (!INDEPENDENT.includes(findOperation(operation).verb)) return undefined
  } catch {
    return undefined
  }
  const given = Object(input) as { readonly [name: string]: unknown }
  return IDS.flatMap((id) => (typeof given[id] === 'string' ? [given[id]] : []))
}
