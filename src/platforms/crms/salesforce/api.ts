import type { Connection, CrmAnswer, CrmRequest } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import type { SalesforceError } from './answered-errors.ts'
import { driverError, isNotOffered } from './errors.ts'
import { slices } from './selection.ts'

export interface Row {
  readonly Id: string
  readonly [field: string]: unknown
}

export interface Rows {
  readonly totalSize: number
  readonly done: boolean
  readonly nextRecordsUrl?: string
  readonly records: readonly Row[]
}

/** Requests that are longer travel as the body of another. Salesforce itself takes some 16,000 bytes of address and headers. */
const LONGEST_PATH = 6000

/** Parts of one request at most. */
const PARTS = 25

/** The requests that everything else is made of. */
export interface Api {
  /** What every path begins with, such as /services/data/v62.0. */
  readonly base: string
  /** The first page of matching rows; `done` is true if it is the only one. `size` is the page size. */
  query(soql: string, size?: number): Promise<Rows>
  /** The next page, by the `nextRecordsUrl` of the one before. */
  more(nextRecordsUrl: string): Promise<Rows>
  /** All of the rows, page by page. */
  everything(soql: string): Promise<Row[]>
  /**
   * Several things that are only read, each as an answer or as what went wrong with it; undefined for what was not modified since a time that is given
   * for it. Twenty-five of them count as one request of the account's quota.
   */
  several<T>(reads: readonly ConditionalRead[]): Promise<(T | DriverError | undefined)[]>
  send<T>(request: CrmRequest): Promise<T>
  /** The same for an answer that is not JSON. */
  read<T>(request: CrmRequest, parse: (answer: CrmAnswer) => T): Promise<T>
}

/** Something to read, or to leave out where it was not modified since a time of the CRM's clock. */
export interface ConditionalRead {
  readonly path: string
  readonly since?: number | undefined
}

interface Composite<T> {
  readonly compositeResponse: readonly { readonly body: T | readonly SalesforceError[]; readonly httpStatusCode: number }[]
}

export function createApi(connection: Connection, version: string): Api {
  const base = `/services/data/v${version}`

  async function query(soql: string, size = 2000): Promise<Rows> {
    const path = `${base}/query?q=${encodeURIComponent(soql)}`
    const headers = { 'sforce-query-options': `batchSize=${Math.min(2000, Math.max(200, size))}` }
    if (path.length <= LONGEST_PATH) return connection.json<Rows>({ method: 'GET', path, headers })
    const { compositeResponse } = await connection.json<Composite<Rows>>({
      method: 'POST',
      path: `${base}/composite`,
      headers,
      reads: true,
      body: { allOrNone: false, compositeRequest: [{ method: 'GET', url: path, referenceId: 'query' }] },
    })
    const [only] = compositeResponse
    if (!only || only.httpStatusCode >= 400) throw driverError((only?.body ?? []) as readonly SalesforceError[], only?.httpStatusCode ?? 500)
    return only.body as Rows
  }

  async function more(nextRecordsUrl: string): Promise<Rows> {
    // It names a path of this account, and nothing else may be asked for with our session.
    if (!/^\/services\/data\/[\w./-]+$/.test(nextRecordsUrl)) throw new DriverError('conflict', 'This is no cursor of Salesforce.')
    return connection.json<Rows>({ method: 'GET', path: nextRecordsUrl })
  }

  /** Undefined where the account does not offer to read several things at once. */
  async function together<T>(reads: readonly ConditionalRead[]): Promise<(T | DriverError | undefined)[] | undefined> {
    const compositeRequest = reads.map(({ path, since }, at) => ({
      method: 'GET',
      url: `${base}${path}`,
      referenceId: `part${at}`,
      ...(since !== undefined && { httpHeaders: unlessModified(since) }),
    }))
    const request: CrmRequest = { method: 'POST', path: `${base}/composite`, reads: true, body: { allOrNone: false, compositeRequest } }
    const answer = await connection.json<Partial<Composite<T>> | undefined>(request).catch((error: unknown) => {
      if (isNotOffered(error)) return undefined
      throw error
    })
    return answer?.compositeResponse?.map(({ httpStatusCode: status, body }) => {
      if (status >= 400) return driverError(body as readonly SalesforceError[], status)
      return status === 304 ? undefined : (body as T)
    })
  }

  const alone = <T>({ path, since }: ConditionalRead) =>
    connection
      .json<T | undefined>({ method: 'GET', path: `${base}${path}`, ...(since !== undefined && { headers: unlessModified(since) }) })
      .catch((error: unknown) => {
        if (error instanceof DriverError) return error
        throw error
      })

  return {
    base,
    query,
    more,

    async everything(soql) {
      let page = await query(soql)
      const rows = [...page.records]
      while (!page.done && page.nextRecordsUrl !== undefined) {
        page = await more(page.nextRecordsUrl)
        rows.push(...page.records)
      }
      return rows
    },

    async several<T>(reads: readonly ConditionalRead[]) {
      const answers: (T | DriverError | undefined)[] = []
      for (const some of slices(reads, PARTS)) answers.push(...((await together<T>(some)) ?? (await Promise.all(some.map((one) => alone<T>(one))))))
      return answers
    },

    send: (request) => connection.json({ ...request, path: `${base}${request.path}` }),
    read: (request, parse) => connection.read({ ...request, path: `${base}${request.path}` }, parse),
  }
}

/** The header that asks for something only where it was modified since. Times in it are to the second. */
export const unlessModified = (since: number) => ({ 'If-Modified-Since': new Date(since).toUTCString() })
