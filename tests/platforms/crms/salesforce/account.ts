import { createRequire } from 'node:module'
import type { WireRequest } from 'crm-simulators'
import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import { afterAll, beforeAll, beforeEach, expect } from 'vitest'
import type { Created, CrmDriver, DriverQuery, PerItem } from '../../../../src/platforms/crms/engine/driver.ts'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import type { OpenOptions } from '../../../../src/platforms/crms/engine/kind.ts'
import { salesforce } from '../../../../src/platforms/crms/salesforce/salesforce.ts'
import type { Retry, StoredRecord } from '../../../../src/platforms/platform.ts'

type Parser = typeof import('@jetstreamapp/soql-parser-js')

/** A parser of queries that others wrote. */
export const { isQueryValid, parseQuery } = createRequire(import.meta.url)('@jetstreamapp/soql-parser-js') as Parser

/** Tries again a few times, without waiting long. */
export const retry: Retry = async (attempt, look) => {
  for (let left = 4; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !look(error).retryable) throw error
    }
  }
}

export const CLIENT = { clientId: 'simulator', clientSecret: 'simulator' }

/** An account for the tests of a file, which is empty before each. Every query that it is sent has to be one that others can read. */
export function account() {
  const running: { simulator?: Simulator; wires: CrmDriver[] } = { wires: [] }
  const requests: WireRequest[] = []

  beforeAll(async () => {
    running.simulator = await startSimulator((world) => {
      const simulated = simulateSalesforce(world)
      return {
        ...simulated,
        answer(request) {
          requests.push(request)
          for (const soql of queriesIn(request)) if (!isQueryValid(soql)) throw new Error(`Nobody can read ${soql}`)
          return simulated.answer(request)
        },
      }
    })
  })
  afterAll(async () => {
    await Promise.all(running.wires.map((driver) => driver.close()))
    await running.simulator?.close()
  })
  beforeEach(() => {
    simulator().faults.clear()
    simulator().simulated.reset()
    requests.length = 0
  })

  const simulator = () => running.simulator as Simulator

  function opening(more: Partial<OpenOptions> = {}, options: { readonly [name: string]: string } = {}): OpenOptions {
    return {
      address: simulator().url,
      settings: { quotaFloor: 0, timeoutMs: 5000, options },
      secrets: CLIENT,
      tables: salesforce.tables(options),
      retry,
      ...more,
    }
  }

  return {
    simulator,
    requests,
    opening,
    async open(more?: Partial<OpenOptions>, options?: { readonly [name: string]: string }): Promise<CrmDriver> {
      const driver = await salesforce.open(opening(more, options))
      running.wires.push(driver)
      return driver
    },
    /** Asks the account by hand. */
    async send<T>(method: string, path: string, body?: unknown): Promise<T> {
      const answer = await fetch(`${simulator().url}/services/data/v62.0${path}`, {
        method,
        headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      if (answer.status >= 400) throw new Error(text)
      return (text === '' ? undefined : JSON.parse(text)) as T
    },
  }
}

function queriesIn({ path, query, body }: WireRequest): string[] {
  const direct = path.endsWith('/query') ? [query.get('q') ?? ''] : []
  const inner = path.endsWith('/composite') ? (JSON.parse(body) as { compositeRequest: { url: string }[] }).compositeRequest : []
  return [...direct, ...inner.flatMap(({ url }) => new URL(url, 'http://localhost').searchParams.get('q') ?? [])]
}

/** What was made, or what went wrong. */
export function good<T>(each: PerItem<T> | undefined): T {
  if (each === undefined || each instanceof DriverError) throw each ?? new Error('There is no answer.')
  return each
}

export async function create(driver: CrmDriver, type: string, record: StoredRecord, on?: string): Promise<string> {
  const [made] = await driver.create(type, [record], on)
  return (good<Created>(made) as { id: string }).id
}

export async function one(driver: CrmDriver, type: string, id: string): Promise<StoredRecord | undefined> {
  return (await driver.get(type, [id]))[0]
}

/** Every record of a search, by following its cursors; and how many pages that took. */
export async function all(driver: CrmDriver, type: string, asked: DriverQuery): Promise<{ records: StoredRecord[]; pages: number }> {
  const records: StoredRecord[] = []
  let cursor: string | undefined
  for (let pages = 1; ; pages++) {
    const page = await driver.find(type, { ...asked, ...(cursor !== undefined && { cursor }) })
    records.push(...page.records)
    cursor = page.cursor
    if (cursor === undefined) return { records, pages }
  }
}

/** The error that a driver's promise rejects with. */
export const refused = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => undefined,
    (wrong: unknown) => wrong,
  )
  expect(error).toBeInstanceOf(DriverError)
  return error as DriverError
}
