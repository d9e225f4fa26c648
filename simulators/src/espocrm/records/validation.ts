import { isCalendarDay, isCalendarTime } from '../../dates.ts'
import { invalid } from '../errors.ts'
import { attributesOf, shapeOf } from '../scopes/attributes.ts'
import { type Field, ID, PATTERNS, type Scope } from '../scopes/definition.ts'
import type { Store, Values } from '../store.ts'

/** Checks the fields in order, all of a new record and otherwise the given ones, and refuses the first invalid one. */
export function validate(store: Store, scope: Scope, values: Values, given: Values, isNew: boolean): void {
  for (const [name, field] of shapeOf(scope).fields) {
    if (!isNew && !attributesOf(scope, name).some((attribute) => attribute.name in given)) continue
    const wrong = wrongWith(store, name, field, values, given)
    if (wrong) throw invalid(scope.name, name, wrong)
  }
}

function wrongWith(store: Store, name: string, field: Field, values: Values, given: Values): string | undefined {
  if (field.required && isEmpty(name, field, values, given)) return 'required'
  return CHECKS[field.type]?.(values[name], field, { store, name, values, given })
}

function isEmpty(name: string, { type }: Field, values: Values, given: Values): boolean {
  if (type === 'link') return !values[`${name}Id`]
  if (type === 'linkMultiple') return !(given[`${name}Ids`] as unknown[] | undefined)?.length
  // Only the currency is looked at.
  if (type === 'currency') return !values[`${name}Currency`]
  if (type === 'personName') return !values.firstName && !values.lastName
  return values[name] == null || values[name] === ''
}

interface Context {
  readonly store: Store
  readonly name: string
  readonly values: Values
  readonly given: Values
}

type Check = (value: unknown, field: Field, context: Context) => string | undefined

const LONGEST = 255

const limited: Check = (value, { min, max }) => {
  if (typeof value !== 'number') return undefined
  if (typeof min === 'number' && value < min) return 'min'
  return typeof max === 'number' && value > max ? 'max' : undefined
}

const varchar: Check = (value, { maxLength = LONGEST, pattern }) => {
  if (typeof value !== 'string' || value === '') return undefined
  if ([...value].length > maxLength) return 'maxLength'
  const form = pattern?.startsWith('$') ? PATTERNS[pattern.slice(1)] : pattern === undefined ? undefined : regExp(pattern)
  return form && !form.test(value) ? 'pattern' : undefined
}

function regExp(pattern: string): RegExp | undefined {
  try {
    return new RegExp(`^${pattern}$`, 'u')
  } catch {
    return undefined
  }
}

const many: Check = (_, __, { name, given }) =>
  (given[`${name}Ids`] as unknown[] | undefined)?.every((id) => typeof id === 'string' && ID.test(id)) === false ? 'pattern' : undefined

const CHECKS: { readonly [type: string]: Check } = {
  varchar,
  password: varchar,
  colorpicker: varchar,
  url: (value, { maxLength = LONGEST }) => {
    if (typeof value !== 'string') return undefined
    if (!/^([a-z][a-z0-9+.-]*:\/\/)?[^\s<>"]+$/i.test(value)) return 'valid'
    return [...value].length > maxLength ? 'maxLength' : undefined
  },
  text: (value, { maxLength }) => (typeof value === 'string' && maxLength !== undefined && [...value].length > maxLength ? 'maxLength' : undefined),
  enum: (value, field, { store, name, values }) => {
    const options = optionsOf(store, field)
    if (!(name in values) || !options || options.includes(value === null ? '' : String(value))) return undefined
    return 'valid'
  },
  multiEnum: (value, field, { store }) => {
    const options = optionsOf(store, field)
    if (!Array.isArray(value) || !options) return undefined
    return value.every((one) => options.includes(one)) ? undefined : 'valid'
  },
  int: (value, field, context) => (typeof value === 'number' && Math.abs(value) > 2_147_483_647 ? 'rangeInternal' : limited(value, field, context)),
  float: limited,
  currency: (value, field, context) => {
    const currency = context.values[`${context.name}Currency`]
    if (value != null && currency != null && currency !== 'USD') return 'validCurrency'
    return limited(value, field, context)
  },
  date: (value, { before, after }, { values }) => {
    if (typeof value !== 'string') return undefined
    if (!isDate(value)) return 'valid'
    const [start, end] = [values[String(after)], values[String(before)]]
    if (typeof end === 'string' && value > end) return 'beforeEndDate'
    return typeof start === 'string' && value < start ? 'afterStartDate' : undefined
  },
  datetime: (value) => (typeof value === 'string' && !isDatetime(value) ? 'valid' : undefined),
  email: (value, _, { name, values }) => {
    const all = [value, ...parts(values[`${name}Data`], 'emailAddress')]
    if (!all.every((one) => one == null || isEmail(one))) return 'emailAddress'
    return all.some((one) => typeof one === 'string' && one.length > LONGEST) ? 'maxLength' : all.length > 11 ? 'maxCount' : undefined
  },
  phone: (value, { typeList }, { name, values }) => {
    const data = values[`${name}Data`]
    if (![value, ...parts(data, 'phoneNumber')].every((one) => one == null || isPhone(one))) return 'valid'
    return parts(data, 'type').every((type) => type == null || (typeList as string[]).includes(String(type))) ? undefined : 'valid'
  },
  link: (_, __, { name, values }) => {
    const id = values[`${name}Id`]
    return typeof id === 'string' && !ID.test(id) ? 'pattern' : undefined
  },
  linkParent: (_, __, { store, name, values }) => {
    const [id, type] = [values[`${name}Id`], values[`${name}Type`]]
    if (typeof id === 'string' && !ID.test(id)) return 'pattern'
    return typeof type === 'string' && !store.scopes.has(type) ? 'valid' : undefined
  },
  linkMultiple: many,
  attachmentMultiple: many,
}

export function optionsOf(store: Store, { options, optionsReference }: Field): readonly string[] | undefined {
  if (!optionsReference) return options
  const [scope = '', field = ''] = optionsReference.split('.')
  return store.scopes.get(scope)?.fields[field]?.options
}

function parts(data: unknown, part: string): unknown[] {
  return Array.isArray(data) ? data.map((one) => (Object(one) as Values)[part]) : []
}

export function isDate(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(value) && isCalendarDay(value)
}

export function isDatetime(value: string): boolean {
  return /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}(:\d{2})?$/.test(value) && isCalendarTime(`${value.replace(' ', 'T')}Z`)
}

const EMAIL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

export function isEmail(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 320 && value.indexOf('@') <= 64 && EMAIL.test(value)
}

/** The digits behind the codes of some countries; 7 in North America are a number without its area. */
const LENGTHS: { readonly [country: string]: RegExp } = { 1: /^\d{7}(?:\d{3})?$/, 33: /^\d{9}$/, 44: /^\d{7}(?:\d{2,3})?$/, 49: /^\d{4,13}$/ }

/** Numbers must be international, and as long as those of their country. Lengths are simulated for a few countries. */
export function isPhone(value: unknown): boolean {
  if (typeof value !== 'string' || !/^\+[1-9]\d{6,14}$/.test(value)) return false
  const country = Object.keys(LENGTHS).find((code) => value.startsWith(`+${code}`))
  return country === undefined || (LENGTHS[country]?.test(value.slice(country.length + 1)) ?? false)
}
