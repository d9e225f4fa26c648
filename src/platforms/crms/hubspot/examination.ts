import { DriverError } from '../engine/errors.ts'
import type { Examined, OpenOptions } from '../engine/kind.ts'
import type { Tables } from '../engine/tables.ts'
import { AccountProperties, propertiesOf } from './account-properties.ts'
import type { Hub } from './hub.ts'
import { connect } from './hubspot.ts'
import { settled } from './objects.ts'
import { wantedIn } from './properties.ts'
import { CUSTOM, missingFor, scopesFor } from './scopes.ts'
import { wordsOf } from './words.ts'

/** Looks at an account: who we are there, what is missing, and how much may be asked. Nothing is written. */
export async function* examine(opening: OpenOptions): AsyncGenerator<Examined> {
  let open: ReturnType<typeof connect>
  try {
    open = connect(opening)
  } catch (error) {
    yield bad('sign-in', error)
    return
  }
  const { connection, allowance, session, origin } = open
  try {
    const account = await settled(
      connection.json<{ portalId: number; accountType?: string; timeZone?: string }>({ method: 'GET', path: connection.paths.account }),
    )
    if (account instanceof DriverError && account.code !== 'forbidden' && account.code !== 'not_found') {
      yield bad('sign-in', account)
      return
    }
    const where = account instanceof DriverError ? 'signed in' : `signed in to account ${account.portalId} (${account.accountType ?? 'of an unknown kind'})`
    yield { name: 'sign-in', good: true, text: `${where} at ${origin}` }
    yield { name: 'version', good: true, text: `version ${connection.paths.version} of the API` }
    const wanted = wantedIn(opening.tables).map(({ object }) => object)
    const objects = [...new Set([...Object.values(opening.tables).map(({ object }) => object), ...wanted])]
    const { token } = await session.get()
    yield scopesFinding([...objects, CUSTOM], await grantedTo(connection, token, opening))
    for (const object of objects) yield await objectFinding(connection, opening.tables, object)
    yield await customFinding(connection)
    yield await wordsFinding(connection, opening)
    const quota = allowance.quota()
    const text = quota ? `${quota.used} of ${quota.most} requests a day are used` : 'HubSpot does not tell this token how many requests are left'
    yield { name: 'quota', good: !quota || quota.most - quota.used >= opening.settings.quotaFloor, text }
  } finally {
    await connection.close()
  }
}

/** The scopes that a token has; undefined where HubSpot, or what stands in its place, does not tell. */
async function grantedTo(connection: Hub, token: string, { secrets, tokens }: OpenOptions): Promise<readonly string[] | undefined> {
  const form = { client_id: `${secrets.clientId}`, client_secret: `${secrets.clientSecret}`, token, token_type_hint: 'access_token' }
  const answer = await settled(
    connection.json<{ scopes?: unknown } | undefined>(
      secrets.token && !tokens
        ? { method: 'POST', path: '/oauth/v2/private-apps/get/access-token-info', body: { tokenKey: token }, reads: true }
        : {
            method: 'POST',
            path: `${connection.paths.tokens}/introspect`,
            headers: { 'content-type': 'application/x-www-form-urlencoded' },
            body: new URLSearchParams(form).toString(),
            reads: true,
          },
    ),
  )
  if (answer instanceof DriverError || !Array.isArray(answer?.scopes)) return undefined
  return answer.scopes.map(String)
}

/** Whether the token may do everything that operations ask for: most of all to write, which is not tried. */
function scopesFinding(objects: readonly string[], granted: readonly string[] | undefined): Examined {
  const name = 'scopes'
  if (!granted)
    return { name, good: true, unchecked: true, text: 'HubSpot does not tell the scopes of the token here, so that those to write could not be checked' }
  const missing = missingFor(objects, granted)
  if (missing.length === 0) return { name, good: true, text: 'the token has every scope that is needed to read and to write' }
  return {
    name,
    good: false,
    text: `the token lacks ${missing.join(', ')}`,
    todo: 'Give the service key, or the app, these scopes in HubSpot; what needs one of them is refused as forbidden until then, and the rest works.',
    code: 'forbidden',
  }
}

/** Whether an object can be read, and has the properties that the tables name. */
async function objectFinding(connection: Hub, tables: Tables, object: string): Promise<Examined> {
  const name = object
  if (object === 'lists') {
    const body = { query: '', count: 1, offset: 0, processingTypes: ['MANUAL'], additionalProperties: [] }
    const answer = await settled(connection.send({ method: 'POST', path: `${connection.paths.lists}/search`, body, reads: true }))
    return answer instanceof DriverError ? bad(name, answer, scopesFor('lists')) : { name, good: true, text: 'lists can be read' }
  }
  const known = await settled(propertiesOf(connection, object))
  if (known instanceof DriverError) return bad(name, known, scopesFor(object))
  const names = new Set(known?.map((property) => property.name))
  const wanted = wantedIn(tables).flatMap((one) => (one.object === object ? [one.property] : []))
  const lacking = [...new Set(wanted)].filter((property) => !names.has(property))
  if (lacking.length > 0) {
    return {
      name,
      good: false,
      text: `${object} have no ${lacking.join(', ')}`,
      todo: 'Make these properties in HubSpot, let the app see them, or name others in the tables of the configuration.',
    }
  }
  return { name, good: true, text: `${object} can be read and have every property that is wanted` }
}

async function customFinding(connection: Hub): Promise<Examined> {
  const answer = await settled(connection.json<{ results: unknown[] }>({ method: 'GET', path: `${connection.paths.schemas}?archived=false` }))
  if (answer instanceof DriverError) return bad('custom objects', answer, scopesFor(CUSTOM))
  return { name: 'custom objects', good: true, text: `there are ${answer.results.length}` }
}

/** The words that stages and statuses have. */
async function wordsFinding(connection: Hub, { tables, settings }: OpenOptions): Promise<Examined> {
  const answer = await settled(wordsOf(connection, new AccountProperties(connection), tables, settings.options))
  if (answer instanceof DriverError) return bad('pipelines', answer)
  const [refused] = answer.withheld.values()
  if (refused) return bad('pipelines', refused)
  const words = Object.entries({ Lead: 'Status', Opportunity: 'Stage', Case: 'Status' }).map(([type, field]) => {
    const { values = {}, closed = false } = answer.tables[type]?.fields[field] ?? {}
    return `${type}.${field}: ${[...Object.keys(values), ...(closed ? [] : ['anything'])].join(', ')}`
  })
  return { name: 'pipelines', good: true, text: words.join('; ') }
}

function bad(name: string, error: unknown, scopes?: readonly string[]): Examined {
  const text = error instanceof Error ? error.message : String(error)
  const hint = error instanceof DriverError ? error.hint : undefined
  const todo = hint ?? (scopes && `Give the service key, or the app, the scopes ${scopes.join(', ')}.`)
  return { name, good: false, text, ...(todo !== undefined && { todo }), ...(error instanceof DriverError && { code: error.code }) }
}
