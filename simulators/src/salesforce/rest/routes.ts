import type { Quota } from '../../faults.ts'
import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { noResource, notAllowed, Refusal } from '../errors.ts'
import { describe, describeBriefly } from '../objects/describe.ts'
import type { Org } from '../org.ts'
import type { Session } from '../records/records.ts'
import { run } from '../soql/soql.ts'
import { bodyOf } from './bodies.ts'
import { answerCollections } from './collections.ts'
import { answerBatch, answerComposite, answerTree } from './composite.ts'
import type { Cursors } from './cursors.ts'
import type { QueryJobs } from './query-jobs.ts'
import { deleted, updated } from './replication.ts'
import { search } from './search.ts'
import { answerRecord } from './single-records.ts'
import { answerTooling } from './tooling.ts'

export interface Api {
  readonly org: Org
  readonly cursors: Cursors
  readonly jobs: QueryJobs
  readonly usage: Quota
}

const DEPTH = 3

const RESOURCES = 'composite describe jobs limits parameterizedSearch query queryAll recent search sobjects tooling'.split(' ')

/** Answers a request by the segments of its path after the version. */
export function answerApi(api: Api, session: Session, request: WireRequest, parts: readonly string[]): WireAnswer {
  const { org } = api
  const [resource = '', ...rest] = parts
  const reads = () => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw notAllowed(request.method, 'GET,HEAD')
  }
  switch (resource) {
    case '':
      reads()
      return {
        status: 200,
        body: {
          ...Object.fromEntries(RESOURCES.map((name) => [name, `/services/data/${session.version}/${name}`])),
          identity: `${request.origin}/id/${org.id}/${session.userId}`,
        },
      }
    case 'limits':
      reads()
      return { status: 200, body: limits(api) }
    case 'query':
    case 'queryAll':
      reads()
      return query(api, session, request, rest, resource)
    case 'search':
    case 'parameterizedSearch':
      return search(org, session, request)
    case 'recent':
      reads()
      return { status: 200, body: [] }
    case 'sobjects':
      return sobjects(api, session, request, rest)
    case 'composite':
      return composite(api, session, request, rest)
    case 'jobs':
      if (rest[0] !== 'query' || rest.length > 3) throw noResource()
      return api.jobs.answer(org, session, request, rest.slice(1))
    case 'tooling':
      if (rest[0] === 'query') return query(api, session, request, rest.slice(1), 'tooling/query')
      if (rest[0] === 'sobjects' && rest.length > 1) return answerTooling(org, session, request, rest.slice(1))
      throw noResource()
    default:
      throw noResource()
  }
}

function query({ org, cursors }: Api, session: Session, request: WireRequest, [locator]: readonly string[], path: string): WireAnswer {
  if (locator !== undefined) {
    if (org.world.faults.happens('stale-cursor', request)) cursors.end(locator)
    return cursors.next(org, session, locator, path)
  }
  const soql = request.query.get('q')
  if (soql === null || soql.trim() === '') throw new Refusal(400, 'MALFORMED_QUERY', 'A query string has to be specified')
  const found = run(org, session, soql, { deleted: path === 'queryAll', tooling: path.startsWith('tooling') })
  return cursors.first(org, session, request, found, path)
}

function limits({ usage }: Api): object {
  const of = (Max: number, Remaining = Max) => ({ Max, Remaining })
  return {
    ConcurrentAsyncGetReportInstances: of(200),
    DailyApiRequests: of(usage.most, Math.max(0, usage.most - usage.used)),
    DailyAsyncApexExecutions: of(250_000),
    DailyBulkApiBatches: of(15_000),
    DataStorageMB: of(1024),
    FileStorageMB: of(1024),
    HourlyODataCallout: of(1000),
    SingleEmail: of(15),
  }
}

function sobjects({ org }: Api, session: Session, request: WireRequest, [name, ...rest]: readonly string[]): WireAnswer {
  const { version } = session
  const { method } = request
  if (name === undefined) {
    if (method !== 'GET') throw notAllowed(method, 'GET,HEAD')
    const seen = org.schema.all().filter((object) => !object.tooling && org.schema.isSeen(object))
    return unlessModified(request, org.schema.modifiedAt(), {
      encoding: 'UTF-8',
      maxBatchSize: 200,
      sobjects: seen.map((object) => describeBriefly(version, object)),
    })
  }
  const object = org.objectAt(name)
  if (rest.length === 0 && method === 'GET') {
    const { recent, rows } = org.table(object)
    const items = recent.flatMap((id) => {
      const row = rows.get(id)
      const named = [...object.fields.values()].find(({ nameField }) => nameField)?.name
      if (!row || row.IsDeleted) return []
      const attributes = { type: object.name, url: `/services/data/${version}/sobjects/${object.name}/${id}` }
      return [{ attributes, Id: id, ...(named && { [named]: row[named] ?? null }) }]
    })
    return { status: 200, body: { objectDescribe: describeBriefly(version, object), recentItems: items } }
  }
  if (rest[0] === 'describe' && rest.length === 1 && method === 'GET')
    return unlessModified(request, org.schema.modifiedAt(object), describe(org, version, object))
  if ((rest[0] === 'updated' || rest[0] === 'deleted') && method === 'GET') return (rest[0] === 'updated' ? updated : deleted)(org, request, object)
  if (rest.length > DEPTH) throw noResource()
  return answerRecord(org, session, request, object, rest)
}

/** A description, unless the client has the present one. */
function unlessModified({ headers }: WireRequest, modifiedAt: number, body: object): WireAnswer {
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return modifiedAt <= since ? { status: 304 } : { status: 200, headers: { 'last-modified': new Date(modifiedAt).toUTCString() }, body }
}

function composite(api: Api, session: Session, request: WireRequest, [kind, ...rest]: readonly string[]): WireAnswer {
  const { org } = api
  if (kind === 'sobjects' && rest.length <= 2) return answerCollections(org, session, request, rest)
  const route = (made: WireRequest) => answerInner(api, session, made)
  if (kind !== undefined && kind !== 'batch' && kind !== 'tree') throw noResource()
  if (request.method !== 'POST') {
    if (request.method === 'GET' && kind === undefined) return { status: 200, body: { sobjects: `/services/data/${session.version}/composite/sobjects` } }
    throw notAllowed(request.method, 'POST')
  }
  if (kind === undefined) return answerComposite(org, request, route)
  if (kind === 'batch') return answerBatch(request, route)
  if (rest.length !== 1) throw noResource()
  bodyOf(request)
  return answerTree(org, session, request, org.objectAt(rest[0] ?? '').name)
}

/** The version and the segments of a path; undefined for a path without version. */
export function partsOf({ path }: WireRequest): { readonly version: string; readonly parts: readonly string[] } | undefined {
  const [, version, rest = ''] = /^\/services\/data\/(v\d+\.\d+)(?:\/(.*))?$/.exec(path) ?? []
  if (version === undefined) return undefined
  try {
    return {
      version,
      parts: rest
        .replace(/\/+$/, '')
        .split('/')
        .filter((part, at) => at > 0 || part !== '')
        .map(decodeURIComponent),
    }
  } catch {
    throw noResource()
  }
}

/** Answers a request inside a composite one; refusals become its answer. */
function answerInner(api: Api, session: Session, request: WireRequest): WireAnswer {
  try {
    const found = partsOf(request)
    if (!found) throw noResource()
    return answerApi(api, { ...session, version: found.version }, request, found.parts)
  } catch (error) {
    if (error instanceof Refusal) return error.answer()
    throw error
  }
}
