import { startSimulator } from 'crm-simulators'
import { simulateEspoCrm } from 'crm-simulators/espocrm'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { simulateSalesforce } from 'crm-simulators/salesforce'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { DriverError } from '../../../../src/platforms/crms/engine/errors.ts'
import type { CrmKind, OpenOptions } from '../../../../src/platforms/crms/engine/kind.ts'
import { espocrm } from '../../../../src/platforms/crms/espocrm/espocrm.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import { salesforce } from '../../../../src/platforms/crms/salesforce/salesforce.ts'
import { retry } from '../salesforce/account.ts'

const CASES: readonly {
  readonly kind: CrmKind
  readonly simulate: typeof simulateEspoCrm
  readonly good: OpenOptions['secrets']
  readonly bad: OpenOptions['secrets']
  readonly absent: string
}[] = [
  {
    kind: salesforce,
    simulate: simulateSalesforce,
    good: { clientId: 'simulator', clientSecret: 'simulator' },
    bad: { clientId: 'simulator', clientSecret: 'hush-hush' },
    absent: '00Q5e00000AbCdEEAV',
  },
  { kind: hubspot, simulate: simulateHubSpot, good: { token: 'simulator' }, bad: { token: 'hush-hush' }, absent: '1' },
  { kind: espocrm, simulate: simulateEspoCrm, good: { apiKey: 'simulator' }, bad: { apiKey: 'hush-hush' }, absent: 'none' },
]

const REFUSED = [expect.any(DriverError)]

describe.each(CASES)('$kind.label', ({ kind, simulate, good, bad, absent }) => {
  async function started() {
    const simulator = await startSimulator(simulate)
    onTestFinished(() => simulator.close())
    const onSignIn = vi.fn<(refusal: Error | undefined) => void>()
    const open = async (secrets: OpenOptions['secrets']) => {
      const driver = await kind.open({
        address: simulator.url,
        settings: { quotaFloor: 0, timeoutMs: 5000, options: {} },
        secrets,
        tables: kind.tables({}),
        retry,
        onSignIn,
      })
      onTestFinished(() => driver.close())
      return { read: () => driver.get('Lead', [absent]) }
    }
    return { simulator, onSignIn, open }
  }

  test('reports that it lets us in, once', async () => {
    const { onSignIn, open } = await started()
    const { read } = await open(good)
    for (const _ of [1, 2]) await read()
    expect(onSignIn.mock.calls).toEqual([[undefined]])
  })

  test('reports that it refuses our credentials, with what to do and without them', async () => {
    const { onSignIn, open } = await started()
    await expect(open(bad)).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(onSignIn.mock.calls).toEqual([REFUSED])
    expect(onSignIn.mock.calls[0]?.[0]).toMatchObject({ code: 'unauthenticated', hint: expect.any(String), message: expect.not.stringContaining('hush-hush') })
  })

  test('reports credentials that were good and are refused, and that they are good again', async () => {
    const { simulator, onSignIn, open } = await started()
    const { read } = await open(good)
    simulator.faults.add('expired-session=2x')
    await expect(read()).rejects.toMatchObject({ code: 'unauthenticated' })
    expect(onSignIn.mock.calls).toEqual([[undefined], REFUSED])
    await read()
    expect(onSignIn.mock.calls).toEqual([[undefined], REFUSED, [undefined]])
  })

  test.each(['error=1', 'rate-limit=1', 'drop-before=1', 'daily-quota=0'])('reports nothing of what passes: %s', async (fault) => {
    const { simulator, onSignIn, open } = await started()
    simulator.faults.add(fault)
    await expect(open(good)).rejects.toBeInstanceOf(DriverError)
    expect(onSignIn).not.toHaveBeenCalled()
    simulator.faults.clear()
    await (await open(good)).read()
    expect(onSignIn.mock.calls).toEqual([[undefined]])
  })
})

test('an administrator of EspoCRM who is refused leaves the API user connected', async () => {
  const simulator = await startSimulator(simulateEspoCrm)
  onTestFinished(() => simulator.close())
  const onSignIn = vi.fn()
  const secrets = { apiKey: 'simulator', username: 'admin', password: 'hush-hush' }
  const settings = { quotaFloor: 0, timeoutMs: 5000, options: {} }
  const driver = await espocrm.open({ address: simulator.url, settings, secrets, tables: espocrm.tables({}), retry, onSignIn })
  onTestFinished(() => driver.close())
  await expect(driver.objects()).rejects.toMatchObject({ code: 'unauthenticated' })
  expect(onSignIn.mock.calls).toEqual([[undefined]])
})
