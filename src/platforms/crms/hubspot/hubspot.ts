import type { Conversion, SearchHit, StoredRecord } from '../../platform.ts'
import type { CrmDriver } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { CrmKind, OpenOptions } from '../engine/kind.ts'
import { numberFrom, oneOf, readBy, webAddress } from '../engine/option-values.ts'
import { otherServer } from '../engine/other-server.ts'
import { Session } from '../engine/session.ts'
import type { Table, Tables } from '../engine/tables.ts'
import { extrasOf, fieldOf, limitsOf, placeOf } from '../engine/translation.ts'
import { AccountProperties, searchablePhones } from './account-properties.ts'
import { authorization, PEOPLE } from './authorization.ts'
import { Campaigns } from './campaigns.ts'
import { createChangedBy } from './changed-by.ts'
import { Contacts } from './contacts.ts'
import { LeadConversion } from './conversion.ts'
import { getWithCounts } from './counted.ts'
import { decodedName } from './custom-names.ts'
import { CustomObjects } from './custom-objects.ts'
import { isError, refusalOf } from './errors.ts'
import type { Handler } from './handler.ts'
import { Hub } from './hub.ts'
import { Leads } from './leads.ts'
import { Memberships } from './memberships.ts'
import { Notes } from './notes.ts'
import { Objects, settled, TOGETHER } from './objects.ts'
import { findOwner, ownerNames } from './owners.ts'
import { PAGE } from './pages.ts'
import { API_VERSION, pathsOf, VERSIONS } from './paths.ts'
import { portalOf } from './portal.ts'
import { refuseUnknown } from './properties.ts'
import { EXTERNAL_ID_REMEDY, withProperties } from './property-places.ts'
import { Allowance } from './quota.ts'
import { Records } from './records.ts'
import { Schemas } from './schemas.ts'
import { SECRETS, signIn } from './sign-in.ts'
import { TYPE_IDS, tables } from './tables.ts'
import { SEARCHES_A_SECOND, Throttle } from './throttle.ts'
import { originOf, tokenEndpoint } from './token-endpoint.ts'
import { Withheld } from './withheld.ts'
import { withState, withWords, wordsOf } from './words.ts'

const TYPES = ['Lead', 'Opportunity', 'Case', 'Company', 'Contact', 'Campaign', 'Note', 'Comment'] as const
/** The maximum lag of HubSpot's search index behind writes; usually seconds. */
const LAG_MS = 5_000

export const hubspot: CrmKind = {
  name: 'hubspot',
  label: 'HubSpot',
  address: { example: 'https://api.hubapi.com, which it is where none is given' },
  secrets: SECRETS,
  options: {
    leads: 'what a lead is: `contact`, which it is unless set, or `lead`, an object of its own that is about a contact',
    apiVersion: `the version of HubSpot's API, ${API_VERSION} unless set; v3 for v3, and v4 for associations`,
    dealPipeline: 'the pipeline of opportunities, by its id or its label; the first unless set',
    ticketPipeline: 'the pipeline of cases, likewise',
    leadPipeline: 'the pipeline of leads that are objects of their own, likewise',
    searches: `how many searches HubSpot allows in a second, ${SEARCHES_A_SECOND} unless set`,
    authorizeUrl: 'where a person lets an app in, https://app.hubspot.com unless set, or the address where that is not HubSpot',
    lag: `for how many milliseconds searches may not know what was written, ${LAG_MS} unless set`,
  },
  optionValues: {
    leads: oneOf('contact', 'lead'),
    apiVersion: readBy(pathsOf, VERSIONS),
    searches: numberFrom(1),
    authorizeUrl: webAddress(PEOPLE),
    lag: numberFrom(0),
  },
  authorization,
  tables,
  open,
}

/** The connection to an account and what belongs to it. */
export interface Opened {
  readonly connection: Hub
  readonly allowance: Allowance
  readonly session: Session
  readonly origin: string
  /** The tables that name the fields of errors, which know more once the account has described its properties. */
  readonly names: { tables: Tables }
}

/** Connects to an account. It signs in with the first request. */
export function connect(opening: OpenOptions): Opened {
  const { address, settings, retry, onRequest, lookup, tables: known } = opening
  const names = { tables: known }
  const origin = originOf(address)
  const allowance = new Allowance(settings.quotaFloor)
  const throttle = new Throttle(opening)
  const paths = pathsOf(settings.options.apiVersion)
  const session = new Session(signIn(tokenEndpoint(opening), opening), opening.onSignIn)
  const connection = new Hub(paths, {
    name: hubspot.label,
    origin,
    session,
    authorize: ({ token }) => ({ authorization: `Bearer ${token}` }),
    isExpired: ({ status }) => status === 401,
    isOwn: ({ text }) => isError(text),
    refusal: (answer, request) => refusalOf(answer, request, (object, property) => ourName(names.tables, object, property)),
    onRequest,
    onAnswer(answer, request) {
      allowance.onAnswer(answer)
      throttle.onAnswer(answer, request)
    },
    hold: (request) => throttle.hold(request),
    checkQuota: () => allowance.checkQuota(),
    retry,
    timeoutMs: settings.timeoutMs,
    lookup,
  })
  return { connection, allowance, session, origin, names }
}

/** Our name of a property, for what HubSpot says of it. */
function ourName(tables: Tables, object: string | undefined, property: string): string {
  if (object?.startsWith('2-')) return decodedName(property)
  // Leads and contacts may be one object, and have other fields of it.
  const names = Object.values(tables).flatMap((table) => (table.object === object ? [fieldOf(table, property)] : []))
  const named = names.find((name) => name !== property) ?? property
  // The contact of a lead has fields of the lead.
  return named === property && object === 'contacts' ? fieldOf(tables.Lead, `contact.${property}`).replace(/^contact\./, '') : named
}

async function open(opening: OpenOptions): Promise<CrmDriver> {
  const { connection, allowance, origin, names } = connect(opening)
  try {
    const [account, driver] = await Promise.allSettled([portalOf(connection, origin), opened(opening, connection, allowance, names)])
    // What answers that is not HubSpot fails in many ways: this one says why.
    if (account.status === 'rejected') throw account.reason
    if (account.value === 'other') throw otherServer(hubspot, origin)
    if (driver.status === 'rejected') throw driver.reason
    return { ...driver.value, account: account.value }
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function opened(
  { settings: { options }, tables: configured }: OpenOptions,
  connection: Hub,
  allowance: Allowance,
  names: Opened['names'],
): Promise<CrmDriver> {
  const properties = new AccountProperties(connection)
  const [given, { tables: worded, withheld }] = await Promise.all([
    withProperties(configured, properties),
    wordsOf(connection, properties, configured, options),
    refuseUnknown(properties, configured, tables(options)),
  ])
  const known: Tables = Object.fromEntries(Object.entries(given).map(([type, table]) => [type, withState(type, table, worded[type] as Table)]))
  names.tables = known
  const objectsOf = (object: string) => new Objects(connection, object, (about, property) => ourName(known, about, property))
  const schemas = new Schemas(connection)
  const { Lead, Contact, Campaign, Note, Comment } = known as { readonly [type in (typeof TYPES)[number]]: Table }
  const campaigns = new Campaigns(connection, Campaign)
  const leads = objectsOf(Lead.object)
  const [ofContacts, ofCompanies] = await Promise.all([properties.of('contacts'), properties.of('companies')])
  const phones: { readonly [object: string]: readonly string[] } = { contacts: searchablePhones(ofContacts), companies: searchablePhones(ofCompanies) }
  const phonesOf = ({ object }: Table) => phones[object] ?? []
  const recordsOf = (type: string, table: Table): Handler => {
    if (table.object === 'leads') return new Leads(objectsOf(table.object), objectsOf('contacts'), table, connection)
    const areLeads = type === 'Contact' && table.object === Lead.object && Object.keys(Lead.fixed ?? {}).length > 0
    return areLeads ? new Contacts(objectsOf(table.object), table, Lead, phonesOf(table)) : new Records(type, objectsOf(table.object), table, phonesOf(table))
  }
  const wordedOf = async (type: string) => withState(type, given[type] as Table, await withWords(connection, properties, configured, type, options))
  const records = (type: string): Handler =>
    withheld.has(type) ? new Withheld(async () => recordsOf(type, await wordedOf(type))) : recordsOf(type, known[type] as Table)
  const memberships = new Memberships(connection, campaigns, String(Campaign.fixed?.objectTypeId ?? TYPE_IDS[Lead.object] ?? Lead.object))
  const handlers: { readonly [type: string]: Handler } = {
    Lead: records('Lead'),
    Opportunity: records('Opportunity'),
    Case: records('Case'),
    Company: records('Company'),
    Contact: records('Contact'),
    Campaign: campaigns,
    Membership: memberships,
    Note: new Notes('Note', objectsOf, Note, known),
    Comment: new Notes('Comment', objectsOf, Comment, known),
    CustomObject: new CustomObjects(schemas, objectsOf),
  }
  const handler = (type: string): Handler => {
    const found = handlers[type]
    if (!found) throw new Error(`HubSpot has no ${type}.`)
    return found
  }
  const leadRecords = handlers.Lead
  const isNative = Lead.object === 'leads' || (Lead.object === 'contacts' && Lead.fixed?.lifecyclestage !== undefined)
  const conversion = new LeadConversion({
    tables: known,
    properties,
    contacts: objectsOf('contacts'),
    people: new Records('Contact', objectsOf('contacts'), Contact),
    leads: leadRecords instanceof Leads ? leadRecords : undefined,
    handler,
  })
  /** By a property that the account keeps unique; of contacts, their address is one. */
  async function getUnique(type: string, field: string, value: string): Promise<StoredRecord[] | undefined> {
    const table = known[type]
    if (!table) return undefined
    const place = placeOf(table, field)
    const property = place && (await properties.of(table.object))?.find(({ name }) => name === place.name)
    const isAddress = table.object === 'contacts' && property?.name === 'email'
    if (!property || !(property.hasUniqueValue || isAddress)) return undefined
    const rows = await objectsOf(table.object).readBy(property.name, [value], [property.name])
    return handler(type).get(rows.map(({ id }) => id))
  }

  return {
    name: hubspot.name,
    supports: {
      // Lists say of their members only since when they are.
      fields: { ...limitsOf(known, { ExternalID: EXTERNAL_ID_REMEDY }), Membership: { Status: { absent: true }, ExternalID: { absent: true } } },
      extras: extrasOf(known),
      authors: ['Note', 'Comment'],
      tickMs: 1,
      page: PAGE,
      movesDates: true,
      together: TOGETHER,
      lagMs: Number(options.lag ?? LAG_MS),
    },
    narrows: (type, condition) => handler(type).narrows(condition),
    narrowsTree: (type, where) => handler(type).narrowsTree?.(where) ?? 'not',
    search: (text, types, limit) => searched(text, types, limit, handler),
    ...(isNative && {
      convertLead: (given: Conversion) => conversion.convert(given),
      foreseeConversion: (given: Conversion) => conversion.foresee(given),
    }),
    orders: (type, order) => handler(type).orders(order),
    get: (type, ids) => handler(type).get(ids),
    getWithCounts: (type, id) => getWithCounts(handler, type, id),
    find: (type, query) => handler(type).find(query),
    getUnique,
    count: (type, query) => handler(type).count(query),
    // Lists say who has made them only.
    changedBy: createChangedBy(
      connection,
      (type, id) => (type === 'CustomObject' ? id.slice(0, Math.max(0, id.lastIndexOf('.'))) : type === 'Campaign' ? undefined : known[type]?.object),
      objectsOf,
    ),
    attached: async (type, query) => handler(type).changed?.(query),
    getAttached: async (type, ids) => (await handler(type).getAttached?.(ids)) ?? { records: [] },
    attachedTo: async (type, on, parents) => (await handler(type).attachedTo?.(on, parents)) ?? { records: [] },
    countAttached: async (type, where) => (await handler(type).countAttached?.(where)) ?? 0,
    findAttached: async (type, query) => (await handler(type).findAttached?.(query)) ?? { records: [] },
    campaignSizes: () => memberships.sizes(),
    create: (type, records, on) => handler(type).create(records, on),
    update: (type, changes) => handler(type).update(changes),
    delete: (type, ids) => handler(type).delete(ids),
    erasing: (type) => (known[type]?.object === 'contacts' ? (id) => objectsOf('contacts').erase(id) : undefined),
    keepsErased: (type) => keptOf(known[type]?.object),
    objects: async () => [...(await schemas.tables()).keys()],
    definitions: async () => [...(await schemas.tables()).values()].flatMap(({ definitions }) => definitions),
    define: (objectName, fresh) => schemas.define(objectName, fresh),
    findUser: (id) => findOwner(connection, id),
    userNames: () => ownerNames(connection),
    quota: () => allowance.quota(),
    now: () => connection.now(),
    ping: async () => {
      const answer = await settled(leads.list([], 1, undefined))
      // `forbidden` is an answer too: HubSpot is reachable.
      if (answer instanceof DriverError && answer.code !== 'forbidden') throw answer
    },
    close: () => connection.close(),
  }
}

/** Every type at once. One that the app may not see has nothing to be found. */
async function searched(text: string, types: readonly string[], limit: number, handler: (type: string) => Handler): Promise<SearchHit[]> {
  const found = await Promise.all(
    types.map(async (type): Promise<SearchHit[]> => {
      const records = await settled(handler(type).search?.(text, limit) ?? Promise.resolve([]))
      if (records instanceof DriverError && records.code === 'forbidden') return []
      if (records instanceof DriverError) throw records
      return records.map((record) => ({ type, record }))
    }),
  )
  return found.flat()
}

/** Of contacts HubSpot keeps nothing: they are deleted in the way that the GDPR asks for. */
function keptOf(object: string | undefined): string | null {
  if (object === 'contacts') return null
  const bin = 'HubSpot keeps it for 90 days among the deleted records, from where it can be restored.'
  return object === 'leads' ? `${bin} The contact that the lead is about is a record of its own, with name and address: erase it too.` : bin
}
