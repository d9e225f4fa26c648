import type { WireRequest } from 'crm-simulators'
import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { onTestFinished } from 'vitest'
import type { Opening, WebSettings } from '../../../../src/platforms/crms/engine/kind.ts'
import type { Tables } from '../../../../src/platforms/crms/engine/tables.ts'
import type { Asked, Each, Wire } from '../../../../src/platforms/crms/engine/wire.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import type { StoredRecord } from '../../../../src/platforms/platform.ts'

export interface Account {
  readonly wire: Wire
  readonly simulator: Simulator
  readonly opening: Opening
  /** Everything that was sent so far, in order. */
  readonly sent: WireRequest[]
}

interface Options {
  readonly options?: WebSettings['options']
  readonly secrets?: Opening['secrets']
  readonly tables?: (tables: Tables) => Tables
  readonly patience?: Opening['patience']
}

/** A simulated account, and a wire to it. Both end with the test. */
export async function openAccount(said: Options = {}): Promise<Account> {
  const account = await startAccount(said)
  const wire = await hubspot.open(account.opening)
  onTestFinished(() => wire.close())
  return { ...account, wire }
}

export async function startAccount({ options = {}, secrets = { token: 'simulator' }, tables = (known) => known, patience }: Options = {}) {
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
  const opening: Opening = {
    address: simulator.url,
    settings: { quotaFloor: 0, timeoutMs: 5000, options },
    secrets,
    tables: tables(hubspot.tables(options)),
    patience: patience ?? ((attempt) => attempt()),
  }
  return { simulator, opening, sent }
}

/** Everything that a search finds, page by page. */
export async function all(wire: Wire, type: string, asked: Partial<Asked> = {}): Promise<StoredRecord[]> {
  const records: StoredRecord[] = []
  let cursor: string | undefined
  do {
    const page = await wire.find(type, { where: [], size: 200, ...asked, ...(cursor !== undefined && { cursor }) })
    records.push(...page.records)
    cursor = page.cursor
  } while (cursor !== undefined)
  return records
}

/** What was written, all of which must have gone well. */
export function good<T>(answers: readonly Each<T>[]): T[] {
  return answers.map((answer) => {
    if (answer instanceof Error) throw answer
    return answer
  })
}

/** Tries again what may be tried again, at once. */
export const patient: Opening['patience'] = async (attempt, look) => {
  for (let left = 20; ; left--) {
    try {
      return await attempt()
    } catch (error) {
      if (left === 0 || !look(error).again) throw error
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
