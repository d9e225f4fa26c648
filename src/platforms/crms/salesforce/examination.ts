import { DriverError } from '../engine/errors.ts'
import type { Examined, OpenOptions } from '../engine/kind.ts'
import type { Table } from '../engine/tables.ts'
import { placeOf } from '../engine/translation.ts'
import { isOptional } from './account.ts'
import { type Api, createApi } from './api.ts'
import { describes, fieldIn, insists, type ObjectDescribe } from './describes.ts'
import { isId } from './ids.ts'
import { reach } from './salesforce.ts'
import { flowOf, signedIn } from './sign-in.ts'
import { quoted } from './soql.ts'

const FLOWS = {
  browser: 'what was authorized in a browser',
  refresh: 'a refresh token',
  jwt: 'a signed assertion (JWT bearer)',
  client: 'client credentials',
} as const

/** Looks at an account: whether we get in, who we are there, what we may not see or write, and how much of the quota is left. */
export async function* examine(opening: OpenOptions): AsyncGenerator<Examined> {
  const { connection, session, quota, version, userId } = reach(opening, (object) => Object.values(opening.tables).find((table) => table.object === object))
  const api = createApi(connection, version)
  try {
    const { origin } = await signedIn(opening.retry, () => session.get())
    // That a token is stored does not say that Salesforce accepts it.
    const answered = opening.tokens && (await versionKnown(api, version))
    yield { name: 'sign-in', good: true, text: `Salesforce lets us in at ${origin} with ${FLOWS[opening.tokens ? 'browser' : flowOf(opening.secrets)]}.` }
    yield await whoAmI(api, userId())
    yield answered ?? (await versionKnown(api, version))
    const found = await describes(
      api,
      Object.values(opening.tables).map(({ object }) => object),
    )
    for (const [type, table] of Object.entries(opening.tables)) yield* lacking(type, table, found.get(table.object))
    const { used, most } = quota.now() ?? {}
    if (used !== undefined && most !== undefined) {
      const left = most - used
      const low = left < Math.max(opening.settings.quotaFloor, most / 100)
      yield {
        name: 'quota',
        good: !low,
        text: `${left} of ${most} API requests in 24 hours are left.`,
        ...(low && { todo: 'Find out who else uses the API of the account, or buy more requests.' }),
      }
    }
  } catch (error) {
    if (!(error instanceof DriverError)) throw error
    yield {
      name: error.code === 'unauthenticated' ? 'sign-in' : 'account',
      good: false,
      text: error.message,
      todo: error.hint ?? 'Try again later.',
      code: error.code,
    }
  } finally {
    await connection.close()
  }
}

async function whoAmI(api: Api, userId: string | undefined): Promise<Examined> {
  const [user] = userId !== undefined && isId(userId) ? await api.everything(`SELECT Id, Username FROM User WHERE Id = ${quoted(userId)}`) : []
  return { name: 'user', good: true, text: user ? `We are ${user.Username} (${user.Id}).` : 'Salesforce does not say who we are.' }
}

async function versionKnown(api: Api, version: string): Promise<Examined> {
  const limits = await api.send<object>({ method: 'GET', path: '/limits' })
  return { name: 'version', good: Object.keys(limits).length > 0, text: `The API answers in version ${version}.` }
}

/** What of a table the account does not have, or does not let us see or write. */
function* lacking(type: string, table: Table, describe: ObjectDescribe | undefined): Generator<Examined> {
  const { object } = table
  if (!describe) {
    const todo = `Give the user the right to read and write ${object}${object.startsWith('Campaign') ? ', and the user permission “Marketing User”' : ''}, or map ${type} elsewhere in the configuration.`
    yield { name: object, good: false, text: `${object}, where ${type} lives, is not to be seen.`, todo }
    return
  }
  const rights = [
    ['create', describe.createable],
    ['edit', describe.updateable],
    ['delete', describe.deletable],
  ].flatMap(([right, has]) => (has === false && !(right === 'edit' && READ_AFTER_BIRTH.has(type)) ? [right] : []))
  if (rights.length > 0) {
    yield {
      name: object,
      good: false,
      text: `We may not ${rights.join(' or ')} records of ${object}.`,
      todo: `Tick it for ${object} in a permission set of the user.`,
    }
  }
  for (const [field, place] of Object.entries(table.fields)) {
    const known = place && fieldIn(describe, place.name)
    if (!place || place.name === 'Content' || place.name === 'LinkedEntityId' || (!known && isOptional(type, field, place))) continue
    if (!known) {
      const todo = `Make ${object}.${place.name} visible to the user in a permission set, or map ${type}.${field} to another field or to null.`
      yield { name: `${object}.${place.name}`, good: false, text: `${type}.${field} lives in ${object}.${place.name}, which is not to be seen.`, todo }
    } else if (!place.readOnly && known.createable === false && known.updateable === false) {
      const todo = `Make ${object}.${place.name} editable for the user in a permission set, or say readOnly in the configuration.`
      yield { name: `${object}.${place.name}`, good: false, text: `${type}.${field} cannot be written to.`, todo }
    }
  }
  const given = new Set([
    ...Object.keys(table.defaults ?? {}),
    ...Object.keys(table.fixed ?? {}),
    ...Object.values(table.fields).flatMap((place) => place?.name ?? []),
  ])
  const wanted = describe.fields.filter((field) => insists(field) && !given.has(field.name) && field.name !== 'Title')
  if (wanted.length > 0) {
    const names = wanted.map(({ name }) => name).join(', ')
    yield {
      name: object,
      good: false,
      text: `Records of ${object} cannot be made without ${names}.`,
      todo: `Give them in the configuration, as \`defaults\` or fields of ${type}.`,
    }
  }
  if (rights.length === 0 && wanted.length === 0)
    yield { name: object, good: true, text: `${type} lives in ${object}${placeOf(table, 'OwnerID') ? '' : ', whose records have no owner'}.` }
}

/** Records that are only made and removed. */
const READ_AFTER_BIRTH: ReadonlySet<string> = new Set(['Note', 'Comment', 'Membership'])
