import type { WireAnswer, WireRequest } from '../../simulated.ts'
import { noResource, notAllowed, Refusal } from '../errors.ts'
import type { Org } from '../org.ts'
import { makeId } from '../records/ids.ts'
import type { Session } from '../records/records.ts'
import { parse } from '../soql/parser.ts'
import { type Found, run } from '../soql/soql.ts'
import type { Query } from '../soql/tree.ts'
import { bodyOf } from './bodies.ts'
import { csv } from './csv.ts'

interface Job {
  readonly id: string
  readonly info: { readonly [name: string]: unknown }
  readonly found: Found
  readonly columns: readonly string[]
  state: 'UploadComplete' | 'JobComplete' | 'Aborted'
}

/** Rows of one page of results, unless the client asks for fewer. */
const PAGE = 50_000

/** `/jobs/query`: queries of the Bulk API 2.0, whose results are CSV. A job is complete when it is looked at again. */
export class QueryJobs {
  private readonly jobs = new Map<string, Job>()
  private made = 0

  answer(org: Org, session: Session, request: WireRequest, [id, results]: readonly string[]): WireAnswer {
    const { method } = request
    if (id === undefined) {
      if (method === 'POST') return { status: 200, body: shownJob(this.create(org, session, request)) }
      if (method === 'GET') return { status: 200, body: { done: true, nextRecordsUrl: null, records: [...this.jobs.values()].map(shownJob) } }
      throw notAllowed(method, 'GET,HEAD,POST')
    }
    const job = this.jobs.get(id)
    if (!job || (results !== undefined && results !== 'results')) throw noResource()
    if (results !== undefined) return resultsOf(job, request)
    switch (method) {
      case 'GET':
        if (job.state === 'UploadComplete') job.state = 'JobComplete'
        return { status: 200, body: { ...shownJob(job), jobType: 'V2Query', numberRecordsProcessed: job.found.length, retries: 0, totalProcessingTime: 1 } }
      case 'PATCH':
        if (bodyOf(request).state !== 'Aborted' || job.state !== 'UploadComplete') throw invalidState(`The job is ${job.state}, and cannot be aborted.`)
        job.state = 'Aborted'
        return { status: 200, body: shownJob(job) }
      case 'DELETE':
        if (job.state === 'UploadComplete') throw invalidState('A job that is under way cannot be deleted.')
        this.jobs.delete(id)
        return { status: 204 }
      default:
        throw notAllowed(method, 'DELETE,GET,HEAD,PATCH')
    }
  }

  clear(): void {
    this.jobs.clear()
  }

  private create(org: Org, session: Session, request: WireRequest): Job {
    const { operation, query: soql } = bodyOf(request)
    if (operation !== 'query' && operation !== 'queryAll') throw new Refusal(400, 'API_ERROR', 'The operation of a query job is query or queryAll.')
    if (typeof soql !== 'string') throw new Refusal(400, 'API_ERROR', 'The query is required.')
    const query = parse(soql)
    const columns = columnsOf(query)
    const id = makeId('750', ++this.made)
    const info = {
      operation,
      object: query.from,
      createdById: session.userId,
      createdDate: org.now(),
      systemModstamp: org.now(),
      concurrencyMode: 'Parallel',
      contentType: 'CSV',
      apiVersion: Number(session.version.slice(1)),
      lineEnding: 'LF',
      columnDelimiter: 'COMMA',
    }
    const job: Job = { id, info, found: run(org, session, soql, { deleted: operation === 'queryAll' }), columns, state: 'UploadComplete' }
    this.jobs.set(id, job)
    return job
  }
}

const shownJob = ({ id, info, state }: Job) => ({ id, ...info, state })

const invalidState = (message: string) => new Refusal(400, 'INVALIDJOBSTATE', message)

/** The fields of a query. Bulk queries neither group nor nest. */
function columnsOf({ items, counts, groupBy, offset }: Query): string[] {
  const columns = items.flatMap((item) => (item.kind === 'expression' && item.expression.kind === 'field' ? [item.expression.path.join('.')] : []))
  if (columns.length < items.length || counts || groupBy.length > 0 || offset !== undefined) {
    throw new Refusal(400, 'API_ERROR', 'Bulk queries take fields only: no functions, child queries, TYPEOF, GROUP BY or OFFSET.')
  }
  return columns
}

/** A page of results; its header says how to go on, and `null` where it is the last. */
function resultsOf({ state, found, columns }: Job, { method, query }: WireRequest): WireAnswer {
  if (method !== 'GET') throw notAllowed(method, 'GET,HEAD')
  if (state !== 'JobComplete') throw invalidState(`The job is ${state}, and has no results.`)
  const from = Number(Buffer.from(query.get('locator') ?? '', 'base64url').toString() || 0)
  if (!Number.isInteger(from) || from < 0 || from > found.length) throw new Refusal(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator')
  const to = Math.min(found.length, from + Math.max(1, Number(query.get('maxRecords') ?? PAGE) || PAGE))
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv',
      'sforce-locator': to < found.length ? Buffer.from(String(to)).toString('base64url') : 'null',
      'sforce-numberofrecords': String(to - from),
    },
    body: csv(columns, shownFrom(found, from, to)),
  }
}

/** A few records at a time, so that a large page is not in memory twice. */
const AT_ONCE = 500

function* shownFrom(found: Found, from: number, to: number): Iterable<unknown> {
  for (let at = from; at < to; at += AT_ONCE) yield* found.show(at, Math.min(to, at + AT_ONCE))
}
