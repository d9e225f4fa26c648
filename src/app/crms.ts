import { type CrmSettings, secretFault } from '../config/crm-settings.ts'
import { type GivenSecret, readSecrets, secretVariable } from '../config/secrets.ts'
import type { Fault } from '../contract/errors.ts'
import { didYouMean } from '../contract/names.ts'
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
  return { kind, secrets, opening: openingOf(kind, settings, Object.fromEntries(secrets.map(({ name, value }) => [name, value])), faults) }
}

/** What a CRM is opened with, with these secrets. */
export function openingOf(
  kind: CrmKind,
  { place, quotaFloor, timeoutMs, sections, prefix }: Pick<CrmSettings, 'place' | 'quotaFloor' | 'timeoutMs' | 'sections' | 'prefix'>,
  secrets: { readonly [name: string]: string },
  faults: Fault[],
): Prepared['opening'] {
  const options = Object.assign({}, ...sections.map((one) => optionsIn(one, kind, prefix, faults))) as { [name: string]: string }
  return {
    address: place,
    settings: { quotaFloor, timeoutMs, options },
    secrets,
    tables: sections.reduce<Tables>((tables, { at, tables: others }) => overridden(tables, others, faults, `${at}.tables`), kind.tables(options)),
  }
}

function optionsIn({ at, options }: CrmSettings['sections'][number], kind: CrmKind, prefix: string, faults: Fault[]): { [name: string]: string } {
  const known = Object.keys(kind.options)
  const good = Object.entries(options).filter(([name]) => {
    const field = `${at}.options.${name}`
    if (Object.hasOwn(kind.secrets, name)) faults.push({ field, code: 'value', message: secretFault(secretVariable(prefix, name)) })
    else if (!Object.hasOwn(kind.options, name))
      faults.push({
        field,
        code: 'unknown',
        message: `${kind.label} has no option called ${JSON.stringify(name)}.`,
        expected: known.length > 0 ? known.join(', ') : 'none',
        ...didYouMean(name, known),
      })
    else return true
    return false
  })
  return Object.fromEntries(good)
}
