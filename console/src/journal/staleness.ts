import { OPERATIONS, type Operation, recordType } from 'crm-connector/contract'
import { useAnswer } from '../data/answer.ts'
import { useInterval } from '../data/interval.ts'
import { useLive } from '../data/live.tsx'
import { type Session, useSession } from '../session/session.ts'
import { RECORD_PAGES } from './change-text.ts'
import type { Plan } from './pending.ts'

type Row = { readonly [field: string]: unknown }

/** What became of a record since a plan was made for it. */
export type Staleness = 'changed' | 'gone'

/** For keys that hear no events. */
const POLL_MS = 15_000

const SERVICE_FIELDS: readonly string[] = ['CreatedDate', 'UpdatedDate', 'Revision']

const ALL: readonly Operation[] = OPERATIONS

/** The record as a dry run has found it. */
export function imageBefore({ Preview }: Plan): Row {
  const fields = (Preview.Difference ?? {}) as { readonly [field: string]: { readonly From: unknown } }
  return Object.fromEntries(Object.entries(fields).map(([field, { From }]) => [field, From]))
}

/** Plans for records that are asked for together. */
const groupKey = (plan: Plan) => JSON.stringify([plan.RecordType, imageBefore(plan).ObjectName])

/** By plan, for those of which the record is no longer what it was. A plan is never carried out on another record than was looked at. */
export function useStaleness(plans: readonly Plan[]): ReadonlyMap<string, Staleness> {
  const { crm, may, ownStore } = useSession()
  const key = JSON.stringify(plans.map(({ PlanID, Revision }) => [PlanID, Revision]))
  const { answer, loading, reload } = useAnswer(
    async (signal) => {
      const kinds = [...new Set(plans.map(groupKey))].map((kind) => plans.filter((plan) => groupKey(plan) === kind))
      return new Map((await Promise.all(kinds.map((some) => stalenessOfSome({ crm, may, ownStore }, some, signal)))).flat())
    },
    [crm, may, ownStore, key],
  )
  useInterval(POLL_MS, () => loading || reload())
  useLive(({ RecordID }) => plans.some((plan) => plan.RecordID === RecordID) && reload())
  return answer ?? new Map()
}

async function stalenessOfSome(
  { crm, may, ownStore }: Pick<Session, 'crm' | 'may' | 'ownStore'>,
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
    const staleness = stalenessOf(plan, rows.get(plan.RecordID), ownStore)
    return staleness ? [[plan.PlanID, staleness] as const] : []
  })
}

/** In a store of our own, plans and records are dated by the same clock. Elsewhere the values tell; a preview has all of them that are not empty. */
function stalenessOf(plan: Plan, row: Row | undefined, ownStore: boolean): Staleness | undefined {
  if (row === undefined) return 'gone'
  if (ownStore) return String(row.UpdatedDate) > plan.UpdatedDate ? 'changed' : undefined
  const [image, { fields }] = [imageBefore(plan), recordType(plan.RecordType)]
  const current: Row = { ...row, ...(row.Values as Row | undefined) }
  const compared = Object.keys(current).filter((field) => field in image || (field in fields && !SERVICE_FIELDS.includes(field)))
  return compared.some((field) => JSON.stringify(image[field] ?? null) !== JSON.stringify(current[field] ?? null)) ? 'changed' : undefined
}
