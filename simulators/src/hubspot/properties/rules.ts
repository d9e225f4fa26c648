import { bodyOf, created, type Handler, listIn, textIn, textsOf, typeOf } from '../call.ts'
import { invalid } from '../errors.ts'
import type { Values } from '../objects/records.ts'
import type { ObjectType, Portal } from '../portal.ts'

/** The first version in which the rules of an account bind its API. */
const BINDING = '2026-09'

/** Refuses values that break a rule of the account. */
export function checkRules({ rules, version }: Portal, type: ObjectType, values: Values): void {
  if (!/^\d/.test(version) || version < BINDING) return
  const broken = rules.filter(({ typeId, property, value }) => typeId === type.id && values[property] === value)
  const missing = [...new Set(broken.flatMap(({ required }) => required))].filter((name) => values[name] === undefined)
  if (missing.length === 0) return
  const errors = missing.map((name) => ({
    message: `Property "${name}" is required.`,
    code: 'CONDITIONAL_REQUIRED_PROPERTY_MISSING',
    context: { propertyName: [name] },
  }))
  throw invalid('Some conditional required properties are missing.', { errors })
}

/** Adds a rule, for tests. In the real service administrators do so in its settings. */
export const createRule: Handler = (call) => {
  const body = bodyOf(call, ['property', 'value', 'required'])
  const rule = {
    typeId: typeOf(call).id,
    property: textIn(body, 'property') as string,
    value: textIn(body, 'value') as string,
    required: textsOf(listIn(body, 'required') ?? []),
  }
  call.portal.rules.push(rule)
  return created(rule)
}
