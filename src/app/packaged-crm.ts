import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { CrmError } from '../contract/errors.ts'
import { isObject } from '../helpers/is-object.ts'
import type { CrmKind, Examine } from '../platforms/crms/engine/kind.ts'
import type { PackageName } from '../platforms/crms/names.ts'
import type { CrmParts } from '../platforms/crms/registry.ts'

/** A CRM that a package exports as `crm`. It may export `examine` too, for `crm doctor`. */
export function packagedCrm(name: PackageName): Pick<CrmParts, 'kind' | 'examination'> {
  return {
    kind: async () => (await load(name)).crm,
    async examination() {
      const { crm, examine } = await load(name)
      return examine ?? reachable(crm)
    },
  }
}

async function load(name: PackageName): Promise<{ readonly crm: CrmKind; readonly examine?: Examine }> {
  const specifier = name.slice('package:'.length)
  const exported: unknown = await importFrom(specifier).catch((error: unknown) => {
    throw new CrmError('invalid_input', `The package ${specifier} cannot be loaded: ${(error as Error).message}`, {
      hint: 'Install it beside crm-connector, or give the path of its file, such as package:./dist/index.js.',
      cause: error,
    })
  })
  if (isObject(exported) && isObject(exported.crm) && typeof exported.crm.open === 'function')
    return exported as unknown as { readonly crm: CrmKind; readonly examine?: Examine }
  throw new CrmError('invalid_input', `The package ${specifier} does not export a CRM.`, {
    hint: 'It has to export `crm`, a CrmKind of crm-connector/platform.',
  })
}

/** A path is relative to the working directory. A package may be installed there or beside the connector. */
async function importFrom(specifier: string): Promise<unknown> {
  if (/^\.{0,2}\//.test(specifier)) return import(pathToFileURL(resolve(specifier)).href)
  try {
    return await import(specifier)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_MODULE_NOT_FOUND') throw error
    return import(pathToFileURL(createRequire(join(process.cwd(), 'package.json')).resolve(specifier)).href)
  }
}

/** The examination of a CRM that has none of its own: whether it opens and answers. */
const reachable = (kind: CrmKind): Examine =>
  async function* examine(opening) {
    const driver = await kind.open(opening)
    try {
      await driver.ping()
      yield { name: 'sign-in', good: true, text: `${kind.label} answers.` }
    } finally {
      await driver.close()
    }
  }
