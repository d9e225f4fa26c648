import { isObject } from '../../../helpers/is-object.ts'
import { withoutTrailingSlashes } from '../../../helpers/trailing-slashes.ts'
import { DriverError } from '../engine/errors.ts'
import type { CrmKind, OpenOptions } from '../engine/kind.ts'
import { type OptionValues, oneOf } from '../engine/option-values.ts'
import { addressHint, otherServer } from '../engine/other-server.ts'
import type { Tables } from '../engine/tables.ts'
import { hasFieldsOfItsOwn, unansweredIn, unwritableIn, withFieldsOfAccount } from './account-fields.ts'
import { Api, type Listed, type Me, type Whereabouts } from './api.ts'
import { currenciesOf, wrongCurrency } from './currencies.ts'
import { CustomObjects } from './custom-objects.ts'
import { createEspocrmDriver } from './driver.ts'
import { isMissing, isNotOffered } from './errors.ts'
import { fitted } from './fit.ts'
import { createForesight } from './foresight.ts'
import type { Definitions } from './metadata.ts'
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

const CURRENCY: OptionValues = { expected: 'a code such as EUR', takes: (value) => /^[A-Z]{3}$/.test(value) }

export const espocrm: CrmKind = {
  name: 'espocrm',
  label: 'EspoCRM',
  address: { example: 'https://crm.example.com, with the folder that EspoCRM is in where there is one', isNeeded: true },
  secrets: SECRETS,
  options: OPTIONS,
  optionValues: { currency: CURRENCY, duplicates: oneOf('allow', 'refuse') },
  tables: espoTables,

  async open(opening) {
    const { api, design, customs } = connections(opening, (object) => tableOf(object))
    let tables: Tables = opening.tables
    const tableOf = (object: string) => customs.rememberedObject(object)?.table ?? Object.values(tables).find((table) => table.object === object)
    try {
      const [me, definitions] = await Promise.all([api.me().catch(unlessNotOffered), definitionsOf(api, opening.tables)])
      if (me && !isMe(me)) throw otherServer(espocrm, opening.address)
      if (!me && Object.values(definitions).every((defs) => defs === null)) await beThere(api, opening)
      const wrong = wrongCurrency(opening.settings.options.currency, me ?? {})
      if (wrong) throw new DriverError('invalid_input', wrong.text, { hint: wrong.todo })
      const labels = hasFieldsOfItsOwn(definitions) ? await api.texts().catch(unlessNotOffered) : undefined
      const fit = fitted(opening.tables, espoTables(opening.settings.options), definitions, me?.settings)
      tables = withFieldsOfAccount({ tables: fit, definitions, acl: me?.acl, labels })
      const currencies = currenciesOf(opening.settings.options.currency, me ?? {}, definitions)
      const account = me && typeof me.settings?.siteUrl === 'string' ? `${me.settings.siteUrl} ${me.user.id}` : undefined
      const limits = limitsOf(opening, api, me ?? {}, definitions)
      const driver = createEspocrmDriver({ api, design, isAdministrator: design !== api || me?.user.type === 'admin', customs, tables, currencies, limits })
      return { ...driver, foresee: createForesight(tables, definitions), account }
    } catch (error) {
      await Promise.all([api.close(), design.close()])
      throw error
    }
  },
}

const isMe = ({ user, acl }: Partial<Me>) => typeof user?.id === 'string' && isObject(acl)

/** The ways into one EspoCRM: as an API user, and as an administrator where one is given. */
export function connections(opening: OpenOptions, tableOf: ConstructorParameters<typeof Api>[3]) {
  const place = whereabouts(opening.address)
  const credentials = credentialsOf(opening.secrets, place.base)
  const api = new Api(opening, place, credentials, tableOf)
  const administrator = opening.secrets.apiKey ? administratorOf(opening.secrets) : undefined
  // Whether the account is connected is for the API user to say: an administrator is asked for custom objects alone.
  const design = administrator ? new Api({ ...opening, onSignIn: undefined }, place, administrator, tableOf) : api
  // Of several types in one object, it is the one that has no fixed values.
  const typeOf = (object: string) => Object.entries(opening.tables).find(([, table]) => table.object === object && table.fixed === undefined)?.[0]
  return { api, design, customs: new CustomObjects(design, typeOf), how: credentials.how, place }
}

/** `https://crm.example.com`, with a path before it where EspoCRM is in a folder. */
export function whereabouts(address: string): Whereabouts {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new DriverError('invalid_input', 'The address of EspoCRM is not one that can be reached.', {
      hint: 'Write it as espocrm:https://crm.example.com, with the folder that EspoCRM is in where there is one.',
    })
  const folder = withoutTrailingSlashes(url.pathname).replace(/\/api\/v1$/, '')
  return { origin: url.origin, base: `${folder}/api/v1` }
}

/** EspoCRM's definitions, by object; null where the API user may not read them. */
export async function definitionsOf(api: Api, tables: Tables): Promise<Definitions> {
  const objects = [...new Set(Object.values(tables).map(({ object }) => object))]
  const read = await Promise.all(objects.map(async (object) => [object, (await api.entity(object).catch(unlessNotOffered)) ?? null] as const))
  return Object.fromEntries(read)
}

/** Metadata read when opening is optional: it only refines the defaults. */
function unlessNotOffered(error: unknown): undefined {
  if (!isNotOffered(error)) throw error
}

/** Checks that EspoCRM answers at the address: it must at least list leads. */
async function beThere(api: Api, { address, tables }: OpenOptions): Promise<void> {
  try {
    const listed: Partial<Listed> | undefined = await api.list(tables.Lead?.object ?? 'Lead', { size: 1 })
    if (!Array.isArray(listed?.list)) throw otherServer(espocrm, address)
  } catch (error) {
    if (!isMissing(error)) return unlessNotOffered(error)
    const message = `There is no EspoCRM at ${address}.`
    throw new DriverError('not_found', message, { errors: [{ field: 'Address', code: 'value', message }], ...addressHint(espocrm.address), cause: error })
  }
}

function limitsOf({ settings }: OpenOptions, api: Api, me: Partial<Me>, definitions: Definitions): Limits {
  const { settings: theirs = {} } = me
  let unwritable = unwritableIn(me.acl, definitions)
  return {
    page: Math.min(PAGE, numberIn(theirs.recordListMaxSizeLimit) ?? PAGE),
    textLength: numberIn(theirs.maxSelectTextAttributeLengthForList) ?? TEXT_LENGTH,
    unanswered: (object) => unansweredIn(definitions, object),
    unwritable: (object) => unwritable.get(object) ?? NONE,
    async refresh() {
      const now = await api.me().catch(unlessNotOffered)
      if (now) unwritable = unwritableIn(now.acl, definitions)
    },
    headers: settings.options.duplicates === 'refuse' ? {} : { 'x-skip-duplicate-check': 'true' },
  }
}

const NONE: ReadonlySet<string> = new Set()
const numberIn = (value: unknown) => (typeof value === 'number' && value > 0 ? value : undefined)
