import type { WireRequest } from 'crm-simulators'
import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { onTestFinished } from 'vitest'
import type { CrmDriver, DriverQuery, PerItem } from '../../../../src/platforms/crms/engine/driver.ts'
import type { CrmOptions, OpenOptions } from '../../../../src/platforms/crms/engine/kind.ts'
import type { Tables } from '../../../../src/platforms/crms/engine/tables.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'

export interface Account {
  readonly driver: CrmDriver
  readonly simulator: Simulator
  readonly opening: OpenOptions
  /** Everything that was sent so far, in order. */
  readonly sent: WireRequest[]
}

interface Options {
  readonly options?: CrmOptions['options']
  readonly secrets?: OpenOptions['secrets']
  readonly tables?: (tables: Tables) => Tables
  readonly retry?: OpenOptions['retry']
}

/** A simulated account, and a driver to it. Both end with the test. */
export async function openAccount(said: Options = {}): Promise<Account> {
  const account = await startAccount(said)
  const driver = await hubspot.open(account.opening)
  onTestFinished(() => driver.close())
  return { ...account, driver }
}

export async function startAccount({ options = {}, secrets = { token: 'simulator' }, tables = (known) => known, retry }: Options = {}) {
  const sent: WireRequest[] = []
  const simulator = await startSimulator((world) => {
    const simulated = simulateHubSpot(world)
    return {
      ...simulated,
      answer(request) {
        sent.push(request)
        return simulated.answer(request)
      },
    }
  })
  onTestFinished(() => simulator.close())
  const opening: OpenOptions = {
    address: simulator.url,
    settings: { quotaFloor: 0, timeoutMs: 5000, options },
    secrets,
    tables: tables(hubspot.tables(options)),
    retry: retry ?? ((attempt) => attempt()),
  }
  return { simulator, opening, sent }
}

/** Everything that a search finds, page by page. */
export async function all(driver: CrmDriver, type: string, asked: Partial<DriverQuery> = {}): Promise<StoredRecord[]> {
  const records: StoredRecord[] = []
  let cursor: string | undefined
  do {
    const page = await driver.find(type, { where: [], size: 200, ...asked, ...(cursor !== undefined && { cursor }) })
    records.push(...page.records)
    cursor = page.cursor
  } while (cursor !== undefined)
  return records
}

/** What was written, all of which must have gone well. */
export function good<T>(answers: readonly PerItem<T>[]): T[] {
  return answers.map((answer) => {
    if (answer instanceof Error) throw answer
    return answer
  })
}

/** Tries again what may be tried again, at once. */
export const patient: OpenOptions['retry'] = async (attempt, look) => {
  for (let left = 20; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !look(error).retryable) throw error
    }
  }
}

/** The body of a request. */
export const bodyOf = ({ body }: WireRequest) => JSON.parse(body)

export const ADA = { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Phone: '+44 20 7946 0958', Status: 'Open' }

export const HOSTILE = [
  `O'Brien`,
  '"',
  '\\',
  'a\nb',
  '%',
  '_',
  '*',
  '',
  'Zoë 🐘',
  '<script>&amp;</script>',
  '{"a":1}',
  "'; DROP TABLE",
  'null',
  '0',
  'true',
].filter((text) => text !== '')

/** Opportunities to create, with dates spread over a year. */
export const deals = (count: number, amount: (i: number) => number | null) =>
  Array.from({ length: count }, (_, i) => ({ OpportunityName: `D${i}`, Stage: 'Prospecting', CloseDate: `2026-0${1 + (i % 9)}-15`, Amount: amount(i) }))
