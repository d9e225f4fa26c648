import { recordType } from '../../../contract/operations.ts'
import { quoted } from '../../../contract/visible-text.ts'
import { Connection } from '../engine/connection.ts'
import type { CrmDriver } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { CrmKind, OpenOptions } from '../engine/kind.ts'
import { oneOf, readBy } from '../engine/option-values.ts'
import { otherServer } from '../engine/other-server.ts'
import { Session } from '../engine/session.ts'
import type { Table, Tables } from '../engine/tables.ts'
import { extrasOf, limitsOf } from '../engine/translation.ts'
import { AccountTables } from './account-tables.ts'
import { originOf } from './address.ts'
import { type Api, createApi, type Rows } from './api.ts'
import { authorization } from './authorization.ts'
import { codec } from './codec.ts'
import { createContentNotes } from './content-notes.ts'
import { ConvertedLeads, IS_CONVERTED } from './converted-leads.ts'
import { CustomObjects } from './custom-objects.ts'
import { fieldIn } from './describes.ts'
import { createDriver } from './driver.ts'
import { isError, isExpired, isNotOffered, refusalOf } from './errors.ts'
import { createForesight } from './foresight.ts'
import { EXTERNAL_ID_REMEDY } from './further-fields.ts'
import { longId } from './ids.ts'
import { createConversion } from './lead-conversion.ts'
import { RequestQuota } from './quota.ts'
import { rowsById } from './reads.ts'
import { type SalesforceSession, signedIn, signInWith } from './sign-in.ts'
import { createSoap } from './soap.ts'
import { SparingSignIn } from './sparing-sign-in.ts'
import { COMMON, TABLES, tablesFor } from './tables.ts'
import { findUser, userNames } from './users.ts'
import { createWrites } from './writes.ts'

const VERSION = '62.0'

/** The list of the API's versions. It needs no session, and so does not count against the quota. */
const VERSIONS = '/services/data'

/** Salesforce, by its REST API. */
export const salesforce: CrmKind = {
  name: 'salesforce',
  label: 'Salesforce',
  address: { example: 'https://acme.my.salesforce.com' },
  secrets: {
    clientId: 'the consumer key of the external client app',
    clientSecret: 'its consumer secret, for the client credentials flow; otherwise only where the app insists on it',
    username: 'the user to sign in as, for the JWT bearer flow',
    privateKey: 'the private key of the certificate of the app, in PEM, for the JWT bearer flow',
    refreshToken: 'a refresh token, for the refresh token flow',
  },
  options: {
    apiVersion: `the version of the API, ${VERSION} unless set`,
    loginUrl: 'where to sign in, the address of the account unless set',
    audience: 'whom an assertion is for, https://login.salesforce.com or https://test.salesforce.com as the address has it unless set',
    notes: 'Note for classic notes, which is the default, or ContentNote for modern ones',
    duplicates: 'allow writes what the duplicate rules of the account warn of; it is refused unless set',
    assignment: 'rules lets the assignment rules of the account say who owns new leads and cases; they do not unless set',
    customObjects: 'the custom objects that count, separated by commas; all of them unless set',
    customTexts: 'short makes new user-defined texts of 255 characters, which can be searched; long ones of 32,000 unless set',
    permissionSet: 'the permission set in which new custom objects and fields are made visible, the profile of the user unless set',
  },
  optionValues: {
    apiVersion: readBy(versionOf, VERSION),
    loginUrl: { ...readBy(originOf, 'https://login.salesforce.com'), isAddress: true },
    notes: oneOf('Note', 'ContentNote'),
    duplicates: oneOf('allow', 'refuse'),
    assignment: oneOf('rules', 'none'),
    customTexts: oneOf('short', 'long'),
  },
  authorization,
  tables: tablesFor,
  canonicalId,
  open,
}

/** A membership is known by the ids of its lead and its campaign. */
function canonicalId(_type: string, id: string): string {
  return id.split(':').map(longId).join(':')
}

/** The connection to an account. */
export interface Reached {
  readonly connection: Connection
  readonly session: Session
  readonly quota: RequestQuota
  readonly version: string
  /** The id of the service's user, once signed in. */
  readonly userId: () => string | undefined
  /** The account, by what Salesforce says of it. */
  readonly account: () => string | undefined
}

/** Makes the connection; `tableOf` finds the table of an object, for the names in errors. */
export function reach(opening: OpenOptions, tableOf: (object: string) => Table | undefined): Reached {
  const { settings, retry, address, lookup } = opening
  const quota = new RequestQuota(settings.quotaFloor)
  let signed: SalesforceSession | undefined
  const signIns = new SparingSignIn(signInWith(opening), opening.tokens === undefined)
  const session = new Session(async (before) => {
    signed = await signIns.get(before)
    return signed
  }, opening.onSignIn)
  const connection = new Connection({
    name: 'Salesforce',
    origin: originOf(address),
    session,
    authorize: ({ token }, { path }): { [name: string]: string } => (path === VERSIONS ? {} : { authorization: `Bearer ${token}` }),
    isExpired,
    isOwn: ({ text }) => isError(text),
    onRequest: opening.onRequest,
    refusal(answer, request) {
      const refusal = refusalOf(answer, request, tableOf)
      if (refusal.code === 'unauthenticated') signIns.onRefused(refusal)
      return refusal
    },
    onAnswer(answer) {
      quota.onAnswer(answer)
      if (answer.status < 500 && answer.status !== 401 && answer.status !== 403) signIns.onGood()
    },
    checkQuota: () => quota.checkQuota(),
    retry,
    timeoutMs: settings.timeoutMs,
    lookup,
  })
  return {
    connection,
    session,
    quota,
    version: versionOf(settings.options.apiVersion ?? VERSION),
    userId: () => signed?.userId,
    account: () => signed?.orgId && `${signed.origin} ${signed.orgId}`,
  }
}

function versionOf(given: string): string {
  const [, whole] = /^v?(\d{2,3})(?:\.0)?$/.exec(given.trim()) ?? []
  if (whole !== undefined) return `${whole}.0`
  throw new DriverError('invalid_input', `${quoted(given)} is no version of the API of Salesforce.`, { hint: `It looks like ${VERSION}.` })
}

/** The same answer for the same argument, where that is asked for in a row. */
function memoised<A extends object, R>(make: (of: A) => R): (of: A) => R {
  let last: { readonly of: A; readonly made: R } | undefined
  return (of) => {
    if (last?.of !== of) last = { of, made: make(of) }
    return last.made
  }
}

const isUsual = (tables: Tables) => ['Lead', 'Company', 'Contact', 'Opportunity'].every((type) => tables[type]?.object === (TABLES as Tables)[type]?.object)

async function findsRows(api: Api, { Lead }: Tables): Promise<boolean> {
  const found: Partial<Rows> | undefined = await api.query(`SELECT Id FROM ${Lead?.object ?? 'Lead'} LIMIT 1`).catch((error: unknown) => {
    if (isNotOffered(error)) return undefined
    throw error
  })
  return Array.isArray(found?.records)
}

async function open(opening: OpenOptions): Promise<CrmDriver> {
  const { settings, retry, address } = opening
  const { options } = settings
  const tableOf = (object: string) =>
    [...Object.values(described.tables), ...customs.known().map(({ table }) => table)].find((table) => table.object === object)
  const { connection, session, quota, version, userId, account } = reach(opening, tableOf)
  const api = createApi(connection, version)
  const writes = createWrites(api, retry, { duplicates: options.duplicates === 'allow', assignment: options.assignment === 'rules' }, async ({ table, id }) => {
    const { UpdatedDate } = COMMON
    const [row] = await rowsById(api, { ...table, fields: { UpdatedDate } }, [id])
    return row && String(codec.read(UpdatedDate, row[UpdatedDate.name] ?? 0))
  })
  const soap = createSoap({ connection, session, retry, version })
  const described = new AccountTables(api, connection, opening.tables)
  const customs = new CustomObjects(
    { api, connection, soap, writes },
    {
      objects: options.customObjects?.split(',').map((name) => name.trim()),
      shortTexts: options.customTexts === 'short',
      permissionSet: options.permissionSet,
      tablesOf: () => described.tables,
      userId,
    },
  )
  await described.open()
  // Salesforce names the organisation of a sign-in by an id of its own. Where it does not, it has at least described an object, or finds rows.
  if (!account()?.includes(' 00D') && !described.isKnown && !(await findsRows(api, described.tables)))
    throw otherServer(salesforce, (await session.get()).origin ?? originOf(address))
  const { Note, Lead } = described.tables
  const prefixOf = (object: string) => described.describeOf(object)?.keyPrefix ?? undefined
  const parents = (recordType('Note').childOf?.types ?? []).map((type) => prefixOf(described.tables[type]?.object ?? type))
  const converted = fieldIn(described.describeOf(Lead?.object), IS_CONVERTED) && new ConvertedLeads(api)
  const driver = createDriver({
    api,
    writes,
    customs,
    account: described,
    notes: Note?.object === 'ContentNote' ? createContentNotes(api, connection, Note, parents, retry) : undefined,
    converted,
    isSearched: (object) => described.isSearched(object),
    prefixOf,
    now: () => connection.now(),
  })
  const supportsOf = (tables: Tables): CrmDriver['supports'] => ({
    fields: limitsOf(tables, { ExternalID: EXTERNAL_ID_REMEDY }),
    extras: extrasOf(tables),
    authors: tables.Note?.fields.AuthorID?.readOnly ? [] : ['Note'],
    tickMs: 1000,
    page: 2000,
    together: 200,
    lagMs: 0,
  })
  const supports = memoised(supportsOf)
  return {
    ...driver,
    name: salesforce.name,
    account: account(),
    get supports() {
      return supports(described.tables)
    },
    // Only leads can be converted, and companies and contacts be made of them, where they live in the objects of that name.
    ...(converted && isUsual(described.tables) && createConversion({ api, soap, account: described, converted, duplicates: options.duplicates === 'allow' })),
    foresee: createForesight(api, described),
    canonicalId,
    findUser: (id) => findUser(api, id),
    userNames: () => userNames(api),
    quota: () => quota.now(),
    now: () => connection.now(),
    ping: async () => {
      await signedIn(retry, () => session.get())
      await connection.json({ method: 'GET', path: VERSIONS }).catch((error: unknown) => {
        // An answer that this is not offered proves that the CRM is reachable.
        if (!isNotOffered(error)) throw error
      })
    },
    close: () => connection.close(),
  }
}
