import { join } from 'node:path'
import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { expect, onTestFinished, test } from 'vitest'
import { createService } from '../../src/core/service.ts'
import { watchWorkspace } from '../../src/core/watch/watch.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import { accountsOn } from '../support/accounts.ts'
import { runHere } from '../support/cli.ts'
import { HUBSPOT } from '../support/crms/hubspot.ts'
import { temporaryFolder } from '../support/folder.ts'
import { otherClient } from '../support/other-client.ts'

test('crm mirror verify compares what a CRM has with its mirror, by the name of the workspace', async () => {
  const simulator = await startSimulator(simulateHubSpot)
  onTestFinished(() => simulator.close())
  const HOME = await temporaryFolder()
  const path = join(HOME, 'journal.db')
  const env = { HOME, CRM_STORE: `sqlite:${path}`, CRM_PLATFORM: `hubspot:${simulator.url}`, CRM_HUBSPOT_TOKEN: 'simulator' }
  const created = await runHere(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'], { env })
  const { LeadID } = JSON.parse(created.out) as { LeadID: string }
  const store = await openSqlite(path)
  const platform = await otherClient(HUBSPOT, simulator.url)
  const service = createService({ platform, store, accounts: accountsOn(store) })
  await simulator.advance(60_000)
  await watchWorkspace(service, 1, new AbortController().signal)
  await store.write(1, (writer) => writer.inMirror().update('Lead', LeadID, { LastName: 'Wrong', Revision: 1 }))
  await platform.close()
  await store.close()

  const { code, out } = await runHere(['mirror', 'verify'], { env })
  expect(code).toBe(0)
  const { Mirrors } = JSON.parse(out) as { Mirrors: { RecordType: string }[] }
  expect(Mirrors.find(({ RecordType }) => RecordType === 'Lead')).toEqual({ Workspace: 'default', RecordType: 'Lead', Compared: 1, Repaired: 1, Reason: null })
})
