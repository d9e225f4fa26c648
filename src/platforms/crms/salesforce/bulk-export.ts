import { literalMaker } from '../../../helpers/literal-maker.ts'
import type { Exported, StoredRecord } from '../../platform.ts'
import type { CrmAnswer } from '../engine/connection.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { familyOf } from '../engine/translation.ts'
import type { Api, Row } from './api.ts'
import { csvRows } from './csv.ts'
import { columnsOf, whereOf } from './selection.ts'

/** Records of one page of results. */
const PAGE = 5000

const POLL_MS = 1_000
const LONGEST_POLL_MS = 20_000

/** A job that has not ended by then is aborted: the Bulk API may have a long queue, and ordinary pages have none. */
const LONGEST_MS = 30 * 60_000

/** Where an export is: its query job of the Bulk API 2.0, when that was created, and what is to be done next. */
interface Step {
  readonly job: string
  readonly at: number
  readonly next: 'poll' | 'read' | 'delete'
  readonly locator?: string
}

interface Parts {
  readonly api: Api
  readonly now: () => number
}

/** A step of an export by the Bulk API 2.0. Undefined where the account does not offer it, or has lost the job: whatever the reason, ordinary pages do. */
export async function exported(
  { api, now }: Parts,
  table: Table,
  only: readonly string[],
  read: (row: Row) => StoredRecord,
  cursor: string | undefined,
): Promise<Exported | undefined> {
  if (cursor === undefined) {
    const query = `SELECT ${columnsOf(table)} FROM ${table.object}${whereOf(table, { where: [] }, ...only)}`
    const job = await api.send<{ readonly id: string }>({ method: 'POST', path: '/jobs/query', body: { operation: 'query', query } }).catch(unlessSignedOut)
    return job && onward({ job: job.id, at: now(), next: 'poll' }, POLL_MS)
  }
  const step = JSON.parse(cursor) as Step
  const path = `/jobs/query/${encodeURIComponent(step.job)}`
  switch (step.next) {
    case 'poll':
      return polled(api, path, step, now() - step.at)
    case 'read': {
      const query = `maxRecords=${PAGE}${step.locator === undefined ? '' : `&locator=${encodeURIComponent(step.locator)}`}`
      const request = { method: 'GET', path: `${path}/results?${query}`, headers: { accept: 'text/csv' } } as const
      const page = await api.read(request, (answer) => resultsIn(answer, table)).catch(unlessUnavailable)
      if (!page) return undefined
      const { locator } = page
      const next = locator === undefined ? onward({ ...step, next: 'delete' }, 0) : onward({ ...step, locator })
      return { ...next, records: page.rows.map(read) }
    }
    case 'delete':
      await api.send({ method: 'DELETE', path }).catch(ignored)
      return { records: [] }
  }
}

const onward = (step: Step, waitMs?: number): Exported => ({ records: [], cursor: JSON.stringify(step), ...(waitMs !== undefined && { waitMs }) })

async function polled(api: Api, path: string, step: Step, waitedMs: number): Promise<Exported | undefined> {
  const job = await api.send<{ readonly state: string }>({ method: 'GET', path }).catch(unlessUnavailable)
  if (job?.state === 'JobComplete') return onward({ ...step, next: 'read' })
  if (job === undefined) return undefined
  if (job.state === 'Failed' || job.state === 'Aborted') {
    await api.send({ method: 'DELETE', path }).catch(ignored)
    return undefined
  }
  if (waitedMs > LONGEST_MS) {
    await api.send({ method: 'PATCH', path, body: { state: 'Aborted' } }).catch(ignored)
    return undefined
  }
  return onward(step, Math.min(LONGEST_POLL_MS, Math.max(POLL_MS, waitedMs / 4)))
}

interface Results {
  readonly rows: readonly Row[]
  /** Where the next page begins; undefined on the last. */
  readonly locator: string | undefined
}

/** All values are texts, and one that is missing is empty. */
function resultsIn({ text, headers }: CrmAnswer, { fields }: Table): Results {
  const [names = [], ...lines] = csvRows(text)
  const told = headers['sforce-numberofrecords']
  if (told !== undefined && Number(told) !== lines.length)
    throw new DriverError('platform_unavailable', 'Salesforce has sent a page of results that is cut off.', { retryable: true })
  const booleans = new Set(Object.values(fields).flatMap((place) => (place && familyOf(place) === 'boolean' ? [place.name] : [])))
  const members = names.map((name, at) => [name, booleans.has(name) ? `truth(cells[${at}])` : `cells[${at}] || null`] as const)
  const rows = lines.map(literalMaker<readonly string[], Row>('cells', members, { truth }))
  const locator = headers['sforce-locator']
  return { rows, locator: locator === undefined || locator === 'null' ? undefined : locator }
}

const truth = (cell: string | undefined) => (cell ? cell === 'true' : null)

function ignored(error: unknown): undefined {
  if (!(error instanceof DriverError)) throw error
}

/** Without a session, ordinary pages cannot be read either. */
function unlessSignedOut(error: unknown): undefined {
  if (error instanceof DriverError && error.code === 'unauthenticated') throw error
  return ignored(error)
}

/** What may succeed later is tried again from the same cursor. */
function unlessUnavailable(error: unknown): undefined {
  if (error instanceof DriverError && (error.code === 'platform_unavailable' || error.code === 'rate_limited')) throw error
  return unlessSignedOut(error)
}
