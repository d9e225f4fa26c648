import { shapeOf } from '../scopes/attributes.ts'
import type { Scope } from '../scopes/definition.ts'
import type { Values } from '../store.ts'
import { isTrue } from './input.ts'
import { type ContactEntry, primaryOf } from './values.ts'

/**
 * Keeps the list of e-mail addresses or telephone numbers and their primary one consistent: writing the primary one replaces it in the list,
 * writing the list replaces all of it.
 */
export function syncContactData(scope: Scope, values: Values, given: Values): void {
  for (const [name, { type, defaultType }] of shapeOf(scope).reach) {
    const make =
      type === 'email'
        ? (value: string) => ({ emailAddress: value, lower: value.toLowerCase() })
        : (value: string, kind?: unknown) => ({ phoneNumber: value, type: kind ?? defaultType })
    const list = `${name}Data`
    if (list in given) {
      values[list] = listed(given[list] as unknown[], name, make)
      values[name] = primaryOf(values[list])?.[name] ?? null
    } else if (name in given) {
      const optOut = primaryOf(values[list])?.optOut ?? false
      const others = ((values[list] as ContactEntry[] | undefined) ?? []).filter(({ primary, ...rest }) => !primary && rest[name] !== given[name])
      const value = given[name]
      values[list] =
        typeof value === 'string'
          ? [{ ...make(value), primary: true, optOut, invalid: false }, ...others]
          : others.map((one, index) => ({ ...one, primary: index === 0 }))
      values[name] = primaryOf(values[list])?.[name] ?? null
    }
    flag(values, given, name)
  }
}

function listed(data: unknown[], name: string, make: (value: string, kind?: unknown) => object): ContactEntry[] {
  const rows = data.map((one) => Object(one) as Values).filter((one) => typeof one[name] === 'string' && one[name] !== '')
  const first = Math.max(
    0,
    rows.findIndex(({ primary }) => isTrue(primary)),
  )
  return rows.map((one, index) => ({
    ...make(one[name] as string, one.type),
    primary: index === first,
    optOut: isTrue(one.optOut),
    invalid: isTrue(one.invalid),
  }))
}

function flag(values: Values, given: Values, name: string): void {
  const list = `${name}Data`
  const changes = {
    ...(`${name}IsOptedOut` in given && { optOut: given[`${name}IsOptedOut`] === true }),
    ...(`${name}IsInvalid` in given && { invalid: given[`${name}IsInvalid`] === true }),
  }
  for (const suffix of ['IsOptedOut', 'IsInvalid']) delete values[name + suffix]
  if (Object.keys(changes).length === 0) return
  values[list] = ((values[list] as ContactEntry[] | undefined) ?? []).map((one) => (one.primary ? { ...one, ...changes } : one))
}
