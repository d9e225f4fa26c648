import type { Crm } from 'crm-connector'
import { LIMITS } from 'crm-connector/contract'
import { useAnswer } from '../data/answer.ts'
import { useSession } from '../session/session.ts'
import { findRows } from './calls.ts'
import type { RecordSchema } from './record-schema.ts'

/** How long values that were found are offered to further inputs: short, since what was just saved is in use, too. */
const KEPT_MS = 10_000

interface Kept {
  readonly at: number
  readonly values: Promise<readonly string[]>
}

const kept = new WeakMap<Crm, Map<string, Kept>>()

/** The values of a field in the records that were changed last, one page of them, by name: none until `wanted`, nor where they cannot be read. */
export function useUsedValues(schema: RecordSchema, field: string, wanted: boolean): readonly string[] {
  const { crm } = useSession()
  const { answer } = useAnswer(async () => (wanted ? usedValues(crm, schema, field) : []), [crm, schema, field, wanted])
  return answer ?? []
}

function usedValues(crm: Crm, schema: RecordSchema, field: string): Promise<readonly string[]> {
  const all = kept.get(crm) ?? new Map<string, Kept>()
  kept.set(crm, all)
  const key = JSON.stringify([schema.path, field])
  const before = all.get(key)
  if (before && Date.now() - before.at < KEPT_MS) return before.values
  const values = read(crm, schema, field).catch(() => {
    all.delete(key)
    return []
  })
  all.set(key, { at: Date.now(), values })
  return values
}

async function read(crm: Crm, schema: RecordSchema, field: string): Promise<readonly string[]> {
  if (!schema.operation('getMany')) return []
  const order = schema.fields.some(({ Name }) => Name === 'UpdatedDate') ? 'UpdatedDate desc' : undefined
  const { Records } = await findRows(crm, schema, { filters: {}, order, select: [field], limit: LIMITS.page })
  const values = Records.map((row) => row[field]).filter((value): value is string => typeof value === 'string' && value !== '')
  return [...new Set(values)].sort((a, b) => a.localeCompare(b))
}
