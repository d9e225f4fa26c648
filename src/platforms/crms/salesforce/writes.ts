import type { Retry } from '../../platform.ts'
import type { PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { codesOf, type SalesforceError, statusOf } from './answered-errors.ts'
import type { Api } from './api.ts'
import { sendEach } from './each.ts'
import { driverError } from './errors.ts'

interface Result {
  readonly id?: string
  readonly success: boolean
  readonly errors?: readonly SalesforceError[]
}

/** A record on its way to Salesforce. */
export interface Draft {
  readonly table: Table
  readonly body: Readonly<Record<string, unknown>>
}

/** A record that Salesforce has. */
export interface Known {
  readonly table: Table
  readonly id: string
}

export interface Patch extends Draft, Known {
  /** When the record was changed last, as far as we know; set where it may not have been changed since. */
  readonly unchangedSince?: string | undefined
}

export interface WriteOptions {
  /** Whether what the account's rules take for a duplicate is written all the same. */
  readonly duplicates: boolean
  /** Whether the account's assignment rules say who owns new leads and cases. */
  readonly assignment: boolean
}

/** Writes to records of any object. Each answer stands where what it answers stood. */
export interface Writes {
  /** Resolves to the ids. */
  create(drafts: readonly PerItem<Draft>[]): Promise<PerItem<string>[]>
  /** Resolves to false for those that are not there. */
  update(patches: readonly PerItem<Patch>[]): Promise<PerItem<boolean>[]>
  delete(known: readonly PerItem<Known>[]): Promise<PerItem<boolean>[]>
}

const PRECONDITION_FAILED = 412

const changedMeanwhile = (cause: DriverError) =>
  new DriverError('conflict', 'This record was changed in Salesforce since it was read.', {
    hint: 'Read the record again and decide whether the change still applies.',
    cause,
  })

const pathOf = ({ table, id }: Known) => `/sobjects/${table.object}/${encodeURIComponent(id)}`

/** What a list of results says of each. */
function outcomes<T>(items: readonly { readonly table: Table }[], results: readonly Result[], good: (result: Result) => T): PerItem<T>[] {
  return items.map(({ table }, at) => {
    const result = results[at]
    if (!result) return new DriverError('outcome_unknown', 'Salesforce has not answered for this record.', { unknown: 'ended' })
    return result.success ? good(result) : driverError(result.errors ?? [], 400, table)
  })
}

/** `modified` says when a record was changed last; undefined where there is no such record any more. */
export function createWrites(api: Api, retry: Retry, options: WriteOptions, modified: (known: Known) => Promise<string | undefined>): Writes {
  const headers = {
    ...(options.duplicates && { 'sforce-duplicate-rule-header': 'allowSave=true' }),
    ...(!options.assignment && { 'sforce-auto-assign': 'FALSE' }),
  }

  /** A refusal of what is not there any more. A reference that leads nowhere may be the record itself, or one that it was to refer to. */
  async function orGone<R>(known: Known, result: PerItem<R>): Promise<PerItem<R | false>> {
    if (!(result instanceof DriverError)) return result
    if (result.code === 'not_found') return false
    const unsure = codesOf(result).some((code) => code === 'INVALID_CROSS_REFERENCE_KEY' || code === 'MALFORMED_ID')
    return unsure && (await modified(known)) === undefined ? false : result
  }

  const allOrGone = async <T extends Known, R>(items: readonly PerItem<T>[], results: readonly PerItem<R>[]) =>
    Promise.all(results.map((result, at) => (items[at] instanceof DriverError ? result : orGone(items[at] as T, result))))

  /**
   * Changes one record, unless it was changed since. Salesforce compares times to the second, and may go by one that moves for reasons of its own:
   * where the record has not been changed after all, it is changed without the comparison.
   */
  async function patch(one: Patch): Promise<void> {
    const { body, unchangedSince } = one
    const send = (more: { readonly [name: string]: string }) => api.send<void>({ method: 'PATCH', path: pathOf(one), headers: { ...headers, ...more }, body })
    if (unchangedSince === undefined) return send({})
    await send({ 'if-unmodified-since': new Date(unchangedSince).toUTCString() }).catch(async (error: unknown) => {
      if (!(error instanceof DriverError) || statusOf(error) !== PRECONDITION_FAILED) throw error
      if ((await modified(one)) !== unchangedSince) throw changedMeanwhile(error)
      await send({})
    })
  }

  return {
    create: (drafts) =>
      sendEach(drafts, retry, async (some) => {
        const [only, ...rest] = some
        if (only && rest.length === 0) {
          const result = await api.send<Result>({ method: 'POST', path: `/sobjects/${only.table.object}`, headers, body: only.body })
          return outcomes(some, [result], ({ id }) => id as string)
        }
        const records = some.map(({ table, body }) => ({ attributes: { type: table.object }, ...body }))
        const results = await api.send<Result[]>({ method: 'POST', path: '/composite/sobjects', headers, several: true, body: { allOrNone: false, records } })
        return outcomes(some, results, ({ id }) => id as string)
      }),

    async update(patches) {
      const results = await sendEach(patches, retry, async (some): Promise<PerItem<boolean>[]> => {
        const [only, ...rest] = some
        if (only && rest.length === 0) {
          await patch(only)
          return [true]
        }
        const records = some.map(({ table, id, body }) => ({ attributes: { type: table.object }, id, ...body }))
        const answers = await api.send<Result[]>({ method: 'PATCH', path: '/composite/sobjects', headers, several: true, body: { allOrNone: false, records } })
        return outcomes(some, answers, () => true)
      })
      return allOrGone(patches, results)
    },

    async delete(known) {
      const results = await sendEach(known, retry, async (some): Promise<PerItem<boolean>[]> => {
        const [only, ...rest] = some
        if (only && rest.length === 0) {
          await api.send({ method: 'DELETE', path: pathOf(only) })
          return [true]
        }
        const ids = some.map(({ id }) => id).join(',')
        const answers = await api.send<Result[]>({ method: 'DELETE', path: `/composite/sobjects?ids=${ids}&allOrNone=false`, several: true })
        return outcomes(some, answers, () => true)
      })
      return allOrGone(known, results)
    },
  }
}
