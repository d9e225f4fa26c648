import { type CrmSettings, secretFault } from '../config/crm-settings.ts'
import { type GivenSecret, readSecrets, secretVariable } from '../config/secrets.ts'
import type { Fault } from '../contract/errors.ts'
import { didYouMean } from '../contract/names.ts'
import { quote } from '../contract/operations.ts'
import type { CrmKind, OpenOptions } from '../platforms/crms/engine/kind.ts'
import { overridden } from '../platforms/crms/engine/overrides.ts'
import type { Tables } from '../platforms/crms/engine/tables.ts'
import { type CrmName, isPackage, type PackageName } from '../platforms/crms/names.ts'
import { CRMS, type CrmParts } from '../platforms/crms/registry.ts'
import { packagedCrm } from './packaged-crm.ts'

/** The parts of a CRM: those of the registry, or those of the package that its address names. */
export const partsOf = (name: CrmName | PackageName): Pick<CrmParts, 'kind' | 'examination'> => (isPackage(name) ? packagedCrm(name) : CRMS[name])

/** A CRM that can be opened. */
export interface Prepared {
  readonly kind: CrmKind
  readonly opening: Omit<OpenOptions, 'retry'>
  readonly secrets: readonly GivenSecret[]
}

/** The options that a CRM is opened with. Adds the faults of its settings; sends nothing yet. */
export async function prepareCrm(settings: CrmSettings, faults: Fault[]): Promise<Prepared> {
  const kind = await partsOf(settings.name).kind()
  const secrets = readSecrets(Object.keys(kind.secrets), settings.prefix, settings.variables, faults)
  faults.push(
    ...addressFaults(kind, settings.place, `${settings.name}:`),
    ...secrets.flatMap(({ name, value, variable }) => secretFaults(name, value, variable)),
  )
  const values = Object.fromEntries(secrets.map(({ name, value }) => [name, value]))
  const opening = openingOf(kind, settings, values, faults, (secret) => secretFault(secretVariable(settings.prefix, secret)))
  return { kind, secrets, opening }
}

/** What a CRM is opened with, with these secrets. `misplaced` says where a secret belongs that is among the options. */
export function openingOf(
  kind: CrmKind,
  { place, quotaFloor, timeoutMs, sections }: Pick<CrmSettings, 'place' | 'quotaFloor' | 'timeoutMs' | 'sections'>,
  secrets: { readonly [name: string]: string },
  faults: Fault[],
  misplaced: (secret: string) => string,
): Prepared['opening'] {
  const options = Object.assign({}, ...sections.map((one) => optionsIn(one, kind, faults, misplaced))) as { [name: string]: string }
  return {
    address: place,
    settings: { quotaFloor, timeoutMs, options },
    secrets,
    tables: sections.reduce<Tables>((tables, { at, tables: others }) => overridden(tables, others, faults, `${at}.tables`), kind.tables(options)),
  }
}

function optionsIn(
  { at, options }: CrmSettings['sections'][number],
  kind: CrmKind,
  faults: Fault[],
  misplaced: (secret: string) => string,
): { [name: string]: string } {
  const known = Object.keys(kind.options)
  const good = Object.entries(options).filter(([name, value]) => {
    const field = `${at}.options.${name}`
    if (Object.hasOwn(kind.secrets, name)) faults.push({ field, code: 'value', message: misplaced(name) })
    else if (!Object.hasOwn(kind.options, name))
      faults.push({
        field,
        code: 'unknown',
        message: `${kind.label} has no option called ${JSON.stringify(name)}.`,
        expected: known.length > 0 ? known.join(', ') : 'none',
        ...didYouMean(name, known),
      })
    else if (kind.optionValues?.[name]?.takes(value) === false)
      faults.push({
        field,
        code: 'value',
        message: `The option ${name} of ${kind.label} cannot be ${quote(value)}.`,
        expected: kind.optionValues[name].expected,
      })
    else return true
    return false
  })
  return Object.fromEntries(good)
}

/** Where an account needs an address and has none. */
export function addressFaults({ label, address }: CrmKind, place: string, field: string): Fault[] {
  if (!address?.isNeeded || place !== '') return []
  return [{ field, code: 'required', message: `${label} needs the address of the account.`, expected: `an address such as ${address.example}` }]
}

/** Secrets that are sent in a header as they are. */
const IN_HEADERS: readonly string[] = ['token', 'apiKey']

/** Characters that no request can carry: refused here, since sending them would fail again and again. A private key has several lines. */
export function secretFaults(name: string, value: string, field: string): Fault[] {
  const isGood = value.startsWith('-----BEGIN') || !(/\p{Cc}/u.test(value) || (IN_HEADERS.includes(name) && /[^\x20-\x7e]/.test(value)))
  return isGood ? [] : [{ field, code: 'form', message: `${field} holds a line break or another character that it cannot have.` }]
}
