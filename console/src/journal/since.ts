import { OPERATIONS, type Operation, recordType } from 'crm-connector/contract'
import { useAnswer } from '../data/answer.ts'
import { useEvery } from '../data/every.ts'
import { useLive } from '../data/live.tsx'
import { type Session, useSession } from '../session/session.ts'
import { RECORD_PAGES } from './told.ts'
import type { Plan } from './waiting.ts'

type Row = { readonly [field: string]: unknown }

/** What became of a record since a plan was made for it. */
export type Since = 'changed' | 'gone'

/** For keys that hear no events. */
const ASKED_EVERY_MS = 15_000

const DATED: readonly string[] = ['CreatedDate', 'UpdatedDate', 'Revision']

const ALL: readonly Operation[] = OPERATIONS

/** The record as a dry run has found it. */
export function imageIn({ Preview }: Plan): Row {
  const fields = (Preview.Difference ?? {}) as { readonly [field: string]: { readonly From: unknown } }
  return Object.fromEntries(Object.entries(fields).map(([field, { From }]) => [field, From]))
}

/** Plans for records that are asked for together. */
const kindIn = (plan: Plan) => JSON.stringify([plan.RecordType, imageIn(plan).ObjectName])

/** By plan, for those of which the record is no longer what it was. A plan is never carried out on another record than was looked at. */
export function useSince(plans: readonly Plan[]): ReadonlyMap<string, Since> {
  const { crm, may, ours } = useSession()
  const asked = JSON.stringify(plans.map(({ PlanID, Revision }) => [PlanID, Revision]))
  const { answer, asking, again } = useAnswer(
    async (signal) => {
      const kinds = [...new Set(plans.map(kindIn))].map((kind) => plans.filter((plan) => kindIn(plan) === kind))
      return new Map((await Promise.all(kinds.map((some) => sinceThen({ crm, may, ours }, some, signal)))).flat())
    },
    [crm, may, ours, asked],
  )
  useEvery(ASKED_EVERY_MS, () => asking || again())
  useLive(({ RecordID }) => plans.some((plan) => plan.RecordID === RecordID) && again())
  return answer ?? new Map()
}

async function sinceThen(
  { crm, may, ours }: Pick<Session, 'crm' | 'may' | 'ours'>,
  plans: readonly Plan[],
  signal: AbortSignal,
): Promise<(readonly [string, Since])[]> {
  const [plan] = plans
  const getMany = ALL.find(({ verb, record }) => verb === 'getMany' && record.name === plan?.RecordType)
  if (!plan || !getMany || !(plan.RecordType in RECORD_PAGES) || !may(getMany.id)) return []
  const { id } = recordType(plan.RecordType)
  const { ObjectName } = imageIn(plan)
  const Filters = { [id]: { in: [...new Set(plans.map(({ RecordID }) => RecordID))] }, ...(ObjectName !== undefined && { ObjectName }) }
  const { Records } = (await crm.call(getMany.id as string, { Filters, Limit: plans.length }, { signal })) as { Records: readonly Row[] }
  const rows = new Map(Records.map((row) => [row[id], row]))
  return plans.flatMap((one) => {
    const since = sinceOf(one, rows.get(one.RecordID), ours)
    return since ? [[one.PlanID, since] as const] : []
  })
}

/** In a store of our own, plans and records are dated by the same clock. Elsewhere the values tell; a preview has all of them that are not empty. */
function sinceOf(plan: Plan, row: Row | undefined, ours: boolean): Since | undefined {
  if (row === undefined) return 'gone'
  if (ours) return String(row.UpdatedDate) > plan.UpdatedDate ? 'changed' : undefined
  const [image, { fields }] = [imageIn(plan), recordType(plan.RecordType)]
  const is: Row = { ...row, ...(row.Values as Row | undefined) }
  const told = Object.keys(is).filter((field) => field in image || (field in fields && !DATED.includes(field)))
  return told.some((field) => JSON.stringify(image[field] ?? null) !== JSON.stringify(is[field] ?? null)) ? 'changed' : undefined
}
