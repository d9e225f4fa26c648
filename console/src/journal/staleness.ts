import { OPERATIONS, type Operation, recordType } from 'crm-connector/contract'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { useLive } from '../data/live.tsx'
import { type Session, useSession } from '../session/session.ts'
import { isBatch } from './batch-plan.tsx'
import { RECORD_PAGES } from './change-text.ts'
import type { Plan } from './pending.ts'

type Row = { readonly [field: string]: unknown }

/** What happened to a record since its delete was requested. */
export type Staleness = 'changed' | 'deleted'

/** For keys that receive no events. */
const POLL_MS = 15_000

const SERVICE_FIELDS: readonly string[] = ['CreatedDate', 'UpdatedDate', 'Revision']

const ALL: readonly Operation[] = OPERATIONS

/** The record as it was when the delete was requested, from the dry run. */
export function imageBefore({ Preview }: Plan): Row {
  const fields = (Preview.Difference ?? {}) as { readonly [field: string]: { readonly From: unknown } }
  return Object.fromEntries(Object.entries(fields).map(([field, { From }]) => [field, From]))
}

/** Plans with the same key are looked up in one call. */
const groupKey = (plan: Plan) => JSON.stringify([plan.RecordType, imageBefore(plan).ObjectName])

/** The plans whose record has changed since: a plan is executed only on the record as it was previewed. */
export function useStaleness(plans: readonly Plan[]): ReadonlyMap<string, Staleness> {
  const { crm, may, ownStore, description } = useSession()
  const key = JSON.stringify(plans.map(({ PlanID, Revision }) => [PlanID, Revision]))
  const { answer, loading, reload } = useAnswer(
    async (signal) => {
      // A batch is about many records, which are compared when it is executed.
      const single = plans.filter((plan) => !isBatch(plan))
      const kinds = [...new Set(single.map(groupKey))].map((kind) => single.filter((plan) => groupKey(plan) === kind))
      return new Map((await Promise.all(kinds.map((some) => stalenessOfSome({ crm, may, ownStore, description }, some, signal)))).flat())
    },
    [crm, may, ownStore, description, key],
  )
  useInterval(POLL_MS, () => loading || reload())
  useLive(({ RecordID }) => plans.some((plan) => plan.RecordID === RecordID) && reload())
  return answer ?? new Map()
}

async function stalenessOfSome(
  { crm, may, ownStore, description }: Pick<Session, 'crm' | 'may' | 'ownStore' | 'description'>,
  plans: readonly Plan[],
  signal: AbortSignal,
): Promise<(readonly [string, Staleness])[]> {
  const [plan] = plans
  const getMany = ALL.find(({ verb, record }) => verb === 'getMany' && record.name === plan?.RecordType)
  if (!plan || !getMany || !(plan.RecordType in RECORD_PAGES) || !may(getMany.id)) return []
  const { id } = recordType(plan.RecordType)
  const { ObjectName } = imageBefore(plan)
  const Filters = { [id]: { in: [...new Set(plans.map(({ RecordID }) => RecordID))] }, ...(ObjectName !== undefined && { ObjectName }) }
  const { Records } = (await crm.call(getMany.id as string, { Filters, Limit: plans.length }, { signal })) as { Records: readonly Row[] }
  const rows = new Map(Records.map((row) => [row[id], row]))
  return plans.flatMap((plan) => {
    const staleness = stalenessOf(plan, rows.get(plan.RecordID), { ownStore, description })
    return staleness ? [[plan.PlanID, staleness] as const] : []
  })
}

/** In our own store, plans and records have timestamps of the same clock. For a CRM the values are compared; the preview has all that are not empty. */
function stalenessOf(plan: Plan, row: Row | undefined, { ownStore, description }: Pick<Session, 'ownStore' | 'description'>): Staleness | undefined {
  if (row === undefined) return 'deleted'
  if (ownStore) return String(row.UpdatedDate) > plan.UpdatedDate ? 'changed' : undefined
  const image = imageBefore(plan)
  const fields = description.RecordTypes.find(({ Name }) => Name === plan.RecordType)?.Fields.map(({ Name }) => Name) ?? []
  const current: Row = { ...row, ...(row.Values as Row | undefined) }
  const compared = Object.keys(current).filter((field) => field in image || (fields.includes(field) && !SERVICE_FIELDS.includes(field)))
  return compared.some((field) => JSON.stringify(image[field] ?? null) !== JSON.stringify(current[field] ?? null)) ? 'changed' : undefined
}
