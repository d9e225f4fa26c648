import { startSimulator } from 'crm-simulators'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { expect, onTestFinished, test } from 'vitest'
import { openService } from '../../../../src/app/open.ts'
import { readConfig } from '../../../../src/config/settings.ts'
import { clientOf } from '../../../../src/contract/client/client.ts'
import { localAdmin } from '../../../../src/core/access/authenticate.ts'
import { inProcessTransport } from '../../../../src/core/call/in-process.ts'

const ADA = { FirstName: 'Ada', LastName: 'Lovelace' }

/** An address at which nothing answers. */
async function freeAddress() {
  const simulator = await startSimulator(simulateEspoCrm)
  await simulator.close()
  return { url: simulator.url, port: Number(new URL(simulator.url).port) }
}

function configOf(url: string, apiKey = 'simulator') {
  const platform = `espocrm:${url}`
  const config = readConfig({ platform, store: 'sqlite::memory:' }, { CRM_ESPOCRM_API_KEY: apiKey })
  const settings = config.crms[platform]
  if (!settings) throw new Error(`There are no settings of ${platform}.`)
  return { ...config, crms: { [platform]: { ...settings, retryMs: 0 } } }
}

test('a service starts although its CRM is down, says so, serves the rest, and serves the CRM once it answers', async () => {
  const { url, port } = await freeAddress()
  const { service, close } = await openService(configOf(url), { serves: true })
  onTestFinished(close)
  const caller = await localAdmin(service)
  const crm = clientOf(inProcessTransport(service, () => caller))
  expect(service.platform.remark).toContain('started without it')
  expect((await crm.users.getMany({})).Records).toHaveLength(1)
  await expect(crm.leads.getMany({})).rejects.toMatchObject({ code: 'platform_unavailable', retryable: true, message: expect.stringContaining(url) })
  await expect(crm.leads.create(ADA, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'platform_unavailable' })
  await expect(service.platform.ping()).rejects.toMatchObject({ code: 'platform_unavailable' })
  const simulator = await startSimulator(simulateEspoCrm, { port })
  onTestFinished(() => simulator.close())
  await expect.poll(() => service.platform.ping().then(() => 'open', String), { interval: 100 }).toBe('open')
  expect(service.platform.supports.fields.Lead).toBeDefined()
  await expect(crm.users.create({ Name: 'Unknown', PlatformUserID: 'ffffffffffffffff0' })).rejects.toMatchObject({ code: 'invalid_input' })
  await crm.leads.create(ADA, { idempotencyKey: 'k' })
  expect((await crm.leads.getMany({})).Records).toMatchObject([ADA])
})

test('a service does not start where its CRM does not let it in', async () => {
  const simulator = await startSimulator(simulateEspoCrm)
  onTestFinished(() => simulator.close())
  await expect(openService(configOf(simulator.url, 'wrong'), { serves: true })).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('a command does not wait for a CRM that is down', async () => {
  const { url } = await freeAddress()
  await expect(openService(configOf(url))).rejects.toMatchObject({ code: 'platform_unavailable' })
})
