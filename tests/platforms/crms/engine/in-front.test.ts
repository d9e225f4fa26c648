import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { startSimulator } from 'crm-simulators'
import { describe, expect, onTestFinished, test } from 'vitest'
import { retryFor } from '../../../../src/core/call/retry.ts'
import { openCrmPlatform } from '../../../../src/platforms/crms/engine/open.ts'
import type { Platform, StoredRecord } from '../../../../src/platforms/platform.ts'
import { ALL_CRMS } from '../../../support/crms/all.ts'
import type { Crm } from '../../../support/crms.ts'

/** What stands in front of a CRM answers a write itself, and passes it on so much later, if at all. */
interface Front {
  readonly status: number
  readonly passedOnAfterMs?: number
}

/** A simulated CRM behind a gateway that misbehaves once it is told how. */
async function behind(crm: Crm, settleMs = 600) {
  const simulator = await startSimulator(crm.simulate)
  let front: Front | undefined
  const passOn = async ({ method = 'GET', url = '/', headers }: IncomingMessage, body: Buffer) => {
    const { host: _, connection: __, 'content-length': ___, 'transfer-encoding': ____, ...rest } = headers
    const how = { method, headers: rest as Record<string, string>, redirect: 'manual' as const }
    return fetch(`${simulator.url}${url}`, method === 'GET' ? how : { ...how, body: new Uint8Array(body) })
  }
  const gateway = createServer(async (asked: IncomingMessage, answer: ServerResponse) => {
    const body = await buffer(asked)
    const told = asked.method === 'GET' || /query|search|token/.test(asked.url ?? '') ? undefined : front
    if (!told) {
      const passed = await passOn(asked, body)
      const headers = [...passed.headers].filter(([name]) => !['content-length', 'transfer-encoding', 'connection', 'keep-alive'].includes(name))
      answer.writeHead(passed.status, Object.fromEntries(headers)).end(Buffer.from(await passed.arrayBuffer()))
      return
    }
    front = undefined
    answer.writeHead(told.status, { 'content-type': 'text/html', ...(told.status < 400 && { location: '/maintenance' }) }).end('<html>Not now.</html>')
    if (told.passedOnAfterMs !== undefined) setTimeout(() => void passOn(asked, body), told.passedOnAfterMs)
  })
  await new Promise<void>((listening) => gateway.listen(0, '127.0.0.1', listening))
  const address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
  const options = crm.options ?? {}
  const platform = await openCrmPlatform(crm.kind, {
    address,
    settings: { quotaFloor: 0, timeoutMs: 5_000, options },
    secrets: Object.fromEntries(crm.secrets.map((name) => [name, 'simulator'])),
    tables: crm.kind.tables(options),
    retry: retryFor(1_000, { firstMs: 5, longestMs: 50 }),
    reconcileMs: settleMs,
    searchMs: settleMs,
  })
  onTestFinished(async () => {
    await platform.close()
    gateway.closeAllConnections()
    gateway.close()
    await simulator.close()
  })
  return {
    platform,
    befall: (how: Front) => {
      front = how
    },
  }
}

const ADA: StoredRecord = { LeadID: '', FirstName: 'Ada', LastName: 'Lovelace', Email: null, Phone: null, Status: 'Open' }
const NEWEST = { where: [], order: { field: 'CreatedDate', descending: true }, limit: 10 }

const create = (platform: Platform) => platform.write(1, (writer) => writer.create('Lead', ADA))
const leads = async (platform: Platform) => (await platform.reader(1).find('Lead', NEWEST)).records

// Salesforce redirects to the account's own address, which bypasses the gateway.
describe.each(ALL_CRMS.filter(([name]) => name !== 'salesforce'))('%s behind a gateway', (_name, crm) => {
  test.each([502, 503, 504, 500, 408])('that gives up with %i while the CRM is at it: the record is found, and there is one', async (status) => {
    const { platform, befall } = await behind(crm, 30_000)
    befall({ status, passedOnAfterMs: 150 })
    expect(await create(platform)).toMatchObject({ FirstName: 'Ada', LastName: 'Lovelace' })
    expect(await leads(platform)).toHaveLength(1)
  })

  test('that gives up and passes nothing on: nobody knows, and nothing is written by itself', async () => {
    const { platform, befall } = await behind(crm)
    befall({ status: 504 })
    const refusal = await create(platform).catch((error: unknown) => platform.classify(error))
    expect(refusal).toMatchObject({ code: 'outcome_unknown' })
    expect(await leads(platform)).toHaveLength(0)
  })

  test('that sends us elsewhere: nothing counts as done', async () => {
    const { platform, befall } = await behind(crm)
    const { LeadID } = await create(platform)
    const write = async (work: Parameters<Platform['write']>[1]) => {
      befall({ status: 302 })
      return platform.write(1, work).catch((error: unknown) => platform.classify(error))
    }
    expect(await write((writer) => writer.delete('Lead', LeadID as string))).toMatchObject({ code: 'platform_unavailable' })
    expect(await write((writer) => writer.update('Lead', LeadID as string, { FirstName: 'Augusta' }))).toMatchObject({ code: 'platform_unavailable' })
    expect(await leads(platform)).toMatchObject([{ LeadID, FirstName: 'Ada' }])
  })
})
