import type { Fault } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import type { FieldLimits, Platform } from '../../platforms/platform.ts'
import type { Binding } from '../binding.ts'
import type { Service } from '../service.ts'
import { typeOn } from './extension.ts'
import { absentField, isText, valueFault } from './schemas.ts'
import { type Values, type WrittenValues, writtenBy } from './written-values.ts'

/** Faults of values that the contract accepts and the platform or the configuration does not. Missing values are found by the input's schema. */
export function limitFaults(service: Service, binding: Binding, operation: Operation, input: Values): Fault[] {
  const platform = binding.platformFor(operation.record)
  return writtenBy(operation, input).flatMap((written) => limitFaultsOf(service, platform, operation, written))
}

function limitFaultsOf(service: Service, platform: Platform, operation: Operation, { type, at, values }: WrittenValues): Fault[] {
  const [byPlatform, byConfig] = [platform.supports.fields[type.name], service.settings.allowedValues[type.name]]
  if (!byPlatform && !byConfig) return []
  const { fields } = typeOn(platform, type)
  return [...new Set([...Object.keys(byPlatform ?? {}), ...Object.keys(byConfig ?? {})])].flatMap((name) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    const limits = byPlatform?.[name] ?? {}
    const field = `${at}${name}`
    // Null counts as left out in a create; in an update it clears the field, which is a write.
    if (limits.readOnly && value !== undefined && (value !== null || operation.verb === 'update'))
      return [{ field, code: 'read_only', message: `${platform.name} does not let ${name} be written.` }]
    if (value === undefined || value === null) return []
    if (limits.absent) return typeof value === 'boolean' && value === fields[name]?.defaultValue ? [] : [absentField(field, name, platform.name)]
    const closed = byConfig?.[name] ?? limits.closed
    if (closed && typeof value === 'string' && !closed.includes(value)) return [valueFault(field, value, closed)]
    if (closed && Array.isArray(value)) return value.flatMap((one, i) => (closed.includes(one) ? [] : [valueFault(`${field}.${i}`, one, closed)]))
    if (fields[name]?.kind === 'json' && fields[name]?.own && !isStorable(value))
      return [{ field, code: 'form', message: `${field} holds a NUL character or broken Unicode.`, expected: 'JSON whose texts have neither' }]
    return sizeFaults(field, name, value, limits, platform.name)
  })
}

/** Whether all names and texts in JSON can be stored. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return isText(value)
  return typeof value !== 'object' || value === null || Object.entries(value).every(([name, one]) => isText(name) && isStorable(one))
}

function sizeFaults(field: string, name: string, value: unknown, { max, maxBytes, decimals, digits }: FieldLimits, platform: string): Fault[] {
  const tooMuch = (code: 'length' | 'value', what: string, most: string): Fault[] => [
    { field, code, message: `${name} ${what} the ${most} that ${platform} keeps.`, expected: `at most ${most}` },
  ]
  if (typeof value === 'string') {
    // Characters are counted only where the UTF-16 length is over the limit, since it is never the smaller one.
    if (max !== undefined && value.length > max && [...value].length > max) return tooMuch('length', 'is longer than', `${max} characters`)
    if (maxBytes !== undefined && Buffer.byteLength(value) > maxBytes) return tooMuch('length', 'is longer than', `${maxBytes} bytes`)
  }
  if (typeof value === 'number') {
    // Without the rounding error of floating point.
    const exact = Number(value.toPrecision(15))
    if (decimals !== undefined && Number(exact.toFixed(decimals)) !== exact) return tooMuch('value', 'has more than', `${decimals} decimals`)
    if (digits !== undefined && Number(exact.toPrecision(digits)) !== exact) return tooMuch('value', 'has more than', `${digits} digits`)
  }
  return []
}
