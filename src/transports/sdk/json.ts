import { DEPTH, FAULTS } from '../../contract/client-limits.ts'
import { CrmError, type Fault } from '../../contract/errors.ts'

/** An input as JSON. Refuses what JSON would change silently: NaN, for example, would arrive as null. */
export function toJson(input: unknown): string {
  const faults: Fault[] = []
  collectFaults(input, '', faults, new Set())
  if (faults.length === 0) return JSON.stringify(input) ?? 'null'
  throw new CrmError('invalid_input', faults[0]?.message ?? '', { errors: faults })
}

function collectFaults(value: unknown, field: string, faults: Fault[], above: Set<object>): void {
  if (faults.length >= FAULTS) return
  const refuse = (is: string) => faults.push({ field, code: 'type', message: `${field || 'The input'} is ${is}, which JSON cannot hold.` })
  if ((typeof value === 'number' || value instanceof Date) && !Number.isFinite(Number(value))) refuse(String(value))
  else if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') refuse(`a ${typeof value}`)
  else if (typeof value === 'object' && value !== null && !('toJSON' in value)) {
    if (above.has(value)) return void refuse('part of itself')
    if (above.size >= DEPTH) return void faults.push({ field, code: 'type', message: `The input is nested more than ${DEPTH} levels deep.` })
    above.add(value)
    for (const [name, member] of Object.entries(value))
      collectFaults(member, Array.isArray(value) ? `${field}[${name}]` : field ? `${field}.${name}` : name, faults, above)
    above.delete(value)
  }
}
