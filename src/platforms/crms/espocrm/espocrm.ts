import { withoutTrailingSlashes } from '../../../helpers/trailing-slashes.ts'
import { DriverError } from '../engine/errors.ts'
import type { CrmKind, OpenOptions } from '../engine/kind.ts'
import type { Tables } from '../engine/tables.ts'
import { Api, type Me, type Whereabouts } from './api.ts'
import { currenciesOf, wrongCurrency } from './currencies.ts'
import { CustomObjects } from './custom-objects.ts'
import { createEspocrmDriver } from './driver.ts'
import { isMissing, isNotOffered } from './errors.ts'
import { type Definitions, fitted } from './fit.ts'
import { attributesOf, type FieldsDefs } from './metadata.ts'
import type { Limits } from './records.ts'
import { administratorOf, credentialsOf } from './sign-in.ts'
import { espoTables } from './tables.ts'

/** What lists show at most, and where they cut texts off, unless an EspoCRM says otherwise of itself. */
const PAGE = 200
const TEXT_LENGTH = 10_000

const SECRETS = {
  apiKey: 'the API key of an API user of EspoCRM',
  secretKey: 'the secret key of that user, where its authentication method is HMAC',
  username: 'the user name of an administrator, for making custom objects; in the place of an API key, who the service is',
  password: 'the password of that administrator',
}

const OPTIONS = {
  currency: "the currency of new opportunities, such as EUR; EspoCRM's own default unless given",
  duplicates: '`allow` creates what EspoCRM takes for a duplicate, and is so unless given; `refuse` leaves it to EspoCRM',
}

export const espocrm: CrmKind = {
  name: 'espocrm',
  label: 'EspoCRM',
  secrets: SECRETS,
  options: OPTIONS,
  tables: espoTables,

  async open(opening) {
    const { api, design, customs } = connections(opening, (object) => tableOf(object))
    let tables: Tables = opening.tables
    const tableOf = (object: string) => customs.rememberedObject(object)?.table ?? Object.values(tables).find((table) => table.object === object)
    try {
      const [me, definitions] = await Promise.all([api.me().catch(unlessNotOffered), definitionsOf(api, opening.tables)])
      if (!me && Object.values(definitions).every((defs) => defs === null)) await beThere(api, opening)
      const wrong = wrongCurrency(opening.settings.options.currency, me ?? {})
      if (wrong) throw new DriverError('invalid_input', wrong.text, { hint: wrong.todo })
      tables = fitted(opening.tables, espoTables(opening.settings.options), definitions, me?.settings)
      const currencies = currenciesOf(opening.settings.options.currency, me ?? {}, definitions)
      const account = me && typeof me.settings?.siteUrl === 'string' ? `${me.settings.siteUrl} ${me.user.id}` : undefined
      return { ...createEspocrmDriver({ api, design, customs, tables, currencies, limits: limitsOf(opening, api, me ?? {}, definitions) }), account }
    } catch (error) {
      await Promise.all([api.close(), design.close()])
      throw error
    }
  },
}

/** The ways into one EspoCRM: as an API user, and as an administrator where one is given. */
export function connections(opening: OpenOptions, tableOf: ConstructorParameters<typeof Api>[3]) {
  const place = whereabouts(opening.address)
  const credentials = credentialsOf(opening.secrets, place.base)
  const api = new Api(opening, place, credentials, tableOf)
  const administrator = opening.secrets.apiKey ? administratorOf(opening.secrets) : undefined
  const design = administrator ? new Api(opening, place, administrator, tableOf) : api
  return { api, design, customs: new CustomObjects(design), how: credentials.how, place }
}

/** `https://crm.example.com`, with a path before it where EspoCRM is in a folder. */
export function whereabouts(address: string): Whereabouts {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new DriverError('unsupported', 'The address of EspoCRM is not one that can be reached.', {
      hint: 'Write it as espocrm:https://crm.example.com, with the folder that EspoCRM is in where there is one.',
    })
  const folder = withoutTrailingSlashes(url.pathname).replace(/\/api\/v1$/, '')
  return { origin: url.origin, base: `${folder}/api/v1` }
}

/** EspoCRM's field definitions, by object; null where the API user may not read them. */
export async function definitionsOf(api: Api, tables: Tables): Promise<Definitions> {
  const objects = [...new Set(Object.values(tables).map(({ object }) => object))]
  const read = await Promise.all(objects.map(async (object) => [object, await fieldsOf(api, object)] as const))
  return Object.fromEntries(read)
}

async function fieldsOf(api: Api, object: string): Promise<FieldsDefs | null> {
  const defs = await api.fieldsOf(object).catch(unlessNotOffered)
  return defs && Object.keys(defs).length > 0 ? defs : null
}

/** Metadata read when opening is optional: it only refines the defaults. */
function unlessNotOffered(error: unknown): undefined {
  if (!isNotOffered(error)) throw error
}

/** Checks that EspoCRM answers at the address: it must at least list leads. */
async function beThere(api: Api, { address, tables }: OpenOptions): Promise<void> {
  try {
    await api.list(tables.Lead?.object ?? 'Lead', { size: 1 })
  } catch (error) {
    if (!isMissing(error)) return unlessNotOffered(error)
    throw new DriverError('not_found', `There is no EspoCRM at ${address}.`, { hint: 'Check the address of the platform, and the folder in it.', cause: error })
  }
}

function limitsOf({ settings }: OpenOptions, api: Api, me: Partial<Me>, definitions: Definitions): Limits {
  const { settings: theirs = {} } = me
  let unwritable = unwritableIn(me, definitions)
  return {
    page: Math.min(PAGE, numberIn(theirs.recordListMaxSizeLimit) ?? PAGE),
    textLength: numberIn(theirs.maxSelectTextAttributeLengthForList) ?? TEXT_LENGTH,
    unwritable: (object) => unwritable.get(object) ?? NONE,
    async refresh() {
      const now = await api.me().catch(unlessNotOffered)
      if (now) unwritable = unwritableIn(now, definitions)
    },
    headers: settings.options.duplicates === 'refuse' ? {} : { 'x-skip-duplicate-check': 'true' },
  }
}

/** The attributes by object that the role hides, or closes for editing. */
function unwritableIn({ acl }: Partial<Me>, definitions: Definitions): ReadonlyMap<string, ReadonlySet<string>> {
  const objects = Object.entries(acl?.fieldTable ?? {}).map(([object, fields]): [string, ReadonlySet<string>] => {
    const denied = Object.entries(fields ?? {}).flatMap(([field, rights]) => (rights?.edit === 'no' || rights?.read === 'no' ? [field] : []))
    return [object, new Set(denied.flatMap((field) => [field, ...attributesOf(field, definitions[object]?.[field])]))]
  })
  return new Map(objects)
}

const NONE: ReadonlySet<string> = new Set()
const numberIn = (value: unknown) => (typeof value === 'number' && value > 0 ? value : undefined)
