import type { WireRequest } from '../simulated.ts'
import type { Access } from './access.ts'
import { appUser } from './app/app.ts'
import { settingsFor } from './app/settings.ts'
import { bodyOf } from './body.ts'
import * as custom from './customization/customization.ts'
import { language, metadata } from './customization/metadata.ts'
import { capital } from './customization/names.ts'
import { badRequest, EspoError, failure, forbidden, notFound } from './errors.ts'
import { changeLinks } from './links/linking.ts'
import { linkedRows, manyLink } from './links/links.ts'
import { convertAttributes, convertLead } from './records/conversion.ts'
import { runAction } from './records/merging.ts'
import { createRecord, deleteRecord, listRecords, readRecord, restoreRecord, updateRecord } from './records/records.ts'
import { streamOf } from './records/stream.ts'
import type { Scope } from './scopes/definition.ts'
import { indexScan } from './search/index-scan.ts'
import { reportByStage } from './search/reports.ts'
import { searchParams } from './search/search.ts'
import type { Row } from './store.ts'

/** A request of a signed-in user. */
export interface ApiRequest {
  readonly access: Access
  readonly request: WireRequest
  readonly method: string
  /** The path segments after the version, such as Lead and an id. */
  readonly path: readonly string[]
  readonly startedAt: number
}

function context({ store }: Access, { origin }: WireRequest, startedAt: number) {
  return { origin, startedAt, now: store.now(), custom: store.customScopes() }
}

/** Runs a request and returns the JSON to answer. */
export function route(call: ApiRequest): unknown {
  const { access, request, method, path, startedAt } = call
  const { store } = access
  const [first = '', second, third, fourth] = path
  switch (`${method} ${path.join('/')}`) {
    case 'GET App/user':
      return appUser(access, context(access, request, startedAt))
    case 'GET Settings':
      return settingsFor(access, context(access, request, startedAt))
    case 'GET I18n':
      return language(store)
    case 'GET Metadata':
      return metadata(access, request.query.get('key'))
    case 'GET Opportunity/action/reportByStage':
      return reportByStage(access, request.query)
    case 'POST Lead/action/getConvertAttributes':
      return convertAttributes(access, bodyOf(request))
    case 'POST Lead/action/convert':
      return convertLead(access, bodyOf(request))
    case 'POST Action':
      return runAction(access, bodyOf(request))
    case 'POST EntityManager/action/createEntity':
      return custom.createScope(custom.administrator(access), bodyOf(request))
    case 'POST EntityManager/action/updateEntity':
      return custom.updateScope(custom.administrator(access), bodyOf(request))
    case 'POST EntityManager/action/createLink':
      return custom.createLink(custom.administrator(access), bodyOf(request))
    case 'POST EntityManager/action/removeEntity':
      return custom.removeScope(custom.administrator(access), bodyOf(request))
    case 'POST Admin/rebuild':
    case 'POST Admin/clearCache':
      custom.administrator(access)
      return true
  }
  if (first === 'Admin' && second === 'fieldManager' && third !== undefined) return fieldManager(call, third, fourth)
  const scope = store.scopes.get(capital(first))
  if (!scope) throw notFound(`Controller '${capital(first)}' does not exist.`)
  if (method === 'POST' && second === 'action' && third === 'restoreDeleted' && fourth === undefined) return restoreRecord(access, scope, bodyOf(request))
  if (second === 'action' && third !== undefined) throw notFound(`Action ${method} '${third}' does not exist in controller '${scope.name}'.`)
  if (path.length > 3) throw notFound()
  if (third !== undefined && second !== undefined) return linked(call, scope, second, third)
  return second === undefined ? collection(call, scope) : single(call, scope, second)
}

function fieldManager({ access, request, method, path }: ApiRequest, scope: string, name: string | undefined): unknown {
  custom.administrator(access)
  if (path.length > 4) throw notFound()
  if (name === undefined && method === 'POST') return custom.createField(access, scope, bodyOf(request))
  if (name !== undefined && method === 'GET') return custom.readField(access, scope, name)
  if (name !== undefined && (method === 'PUT' || method === 'PATCH')) return custom.updateField(access, scope, name, bodyOf(request))
  if (name !== undefined && method === 'DELETE') return custom.deleteField(access, scope, name)
  throw notFound()
}

/** Answers of the router, before EspoCRM itself sees a request. */
const NO_ROUTE = new EspoError(404, '', page('404 Not Found'), 'text/html')
const NO_METHOD = new EspoError(405, '', page('405 Method Not Allowed'), 'text/html')

function page(title: string): string {
  return `<!doctype html><html lang="en"><head><title>${title}</title></head><body><h1>${title}</h1></body></html>`
}

function collection({ access, request, method }: ApiRequest, scope: Scope): unknown {
  if (method === 'GET') return listAll(access, request, scope)
  if (method !== 'POST') throw NO_METHOD
  const body = bodyOf(request)
  const skip = request.headers['x-skip-duplicate-check']?.toLowerCase() === 'true' || body.skipDuplicateCheck === true || body._skipDuplicateCheck === true
  return createRecord(access, scope, body, skip)
}

function listAll(access: Access, request: WireRequest, scope: Scope): unknown {
  const { store } = access
  const params = searchParams(request.query)
  const options = listOptions(access, request)
  const inOrder = options.since === undefined ? indexScan(store, scope.name, params) : undefined
  return listRecords(access, scope, params, inOrder ?? store.table(scope.name).rows.values(), { ...options, inOrder: inOrder !== undefined })
}

function listOptions({ store }: Access, request: WireRequest) {
  const lag = store.world.faults.amount('index-lag', request)
  return { noTotal: request.headers['x-no-total']?.toLowerCase() === 'true', since: lag === undefined ? undefined : store.now() - lag }
}

function single({ access, request, method }: ApiRequest, scope: Scope, id: string): unknown {
  if (id === '') throw NO_ROUTE
  // PHP takes it for empty.
  if (id === '0') throw badRequest('No ID.')
  switch (method) {
    case 'GET':
      return readRecord(access, scope, id)
    case 'PUT':
    case 'PATCH':
      return updateRecord(access, scope, id, bodyOf(request))
    case 'DELETE':
      return deleteRecord(access, scope, id)
    default:
      throw NO_METHOD
  }
}

function linked(call: ApiRequest, scope: Scope, id: string, link: string): unknown {
  const { access, request, method } = call
  if (method === 'GET' && link === 'stream') return { ...streamOf(access, scope, id, searchParams(request.query), request.query.get('filter')), pinnedList: [] }
  if (method === 'GET' && link === 'posts') return streamOf(access, scope, id, searchParams(request.query), 'posts')
  if (link === 'subscription' && (method === 'PUT' || method === 'DELETE')) return follow(access, scope, id, method === 'PUT')
  if (method === 'GET') return listLinked(call, scope, id, link)
  if (method === 'POST' || method === 'DELETE') return changeLinks(access, scope, id, link, bodyOf(request), method === 'POST')
  throw badRequest(`No action for method \`${method}\`.`)
}

function follow(access: Access, scope: Scope, id: string, isFollowed: boolean): true {
  const row = access.store.get(scope.name, id)
  if (!row) throw notFound()
  if (!access.allowsOn(row, 'stream')) throw forbidden()
  if (isFollowed) row.followers.add(access.user.id)
  else row.followers.delete(access.user.id)
  return true
}

function listLinked({ access, request }: ApiRequest, scope: Scope, id: string, name: string): unknown {
  const { store } = access
  if (!access.allows(scope.name, 'read')) throw forbidden('No access.')
  const near: Row | undefined = store.get(scope.name, id)
  if (!near) throw notFound()
  if (!access.allowsOn(near, 'read')) throw forbidden('No read access.')
  const link = manyLink(store, scope, name)
  const foreign = link && store.scopes.get(link.entity)
  // EspoCRM answers an unknown link with a 500.
  if (!foreign) throw failure()
  if (access.hidden(scope, 'read').has(`${name}Ids`) || !access.allows(foreign.name, 'read')) throw forbidden()
  const rows = linkedRows(store, scope, name, id).sort((a, b) => (a.id < b.id ? -1 : 1))
  const { linkSelect } = scope
  const always = linkSelect && Object.hasOwn(linkSelect, name) ? linkSelect[name] : undefined
  return listRecords(access, foreign, searchParams(request.query), rows, { ...listOptions(access, request), ...(always && { linkSelect: always }) })
}
