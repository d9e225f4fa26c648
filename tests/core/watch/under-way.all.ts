import { expect, onTestFinished, test } from 'vitest'
import { clientOf } from '../../../src/contract/client/client.ts'
import { createAuthenticator } from '../../../src/core/access/authenticate.ts'
import { inProcessTransport } from '../../../src/core/call/in-process.ts'
import { createService } from '../../../src/core/service.ts'
import { watchWorkspace } from '../../../src/core/watch/watch.ts'
import type { Platform, Writer } from '../../../src/platforms/platform.ts'
import { accountsOn } from '../../support/accounts.ts'
import { ESPOCRM } from '../../support/crms/espocrm.ts'
import { overCrm } from '../../support/crms.ts'

/** For how long a write is under way in the account before its call knows. */
const SLOW_MS = 1_000

test('a poll waits for a call that has created what it finds, which the call announces itself', async () => {
  const connection = await overCrm(ESPOCRM)
  onTestFinished(() => connection.close())
  const { store, platform, now } = connection.service
  let created = () => {}
  const inAccount = new Promise<void>((resolve) => {
    created = resolve
  })
  const slowly = (writer: Writer): Writer =>
    new Proxy(writer, {
      get(target, name) {
        if (name === 'create')
          return async (...given: Parameters<Writer['create']>) => {
            const record = await target.create(...given)
            created()
            await new Promise((resolve) => setTimeout(resolve, SLOW_MS))
            return record
          }
        const value = target[name as keyof Writer]
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  const slow: Platform = { ...platform, write: (workspace, work, how) => platform.write(workspace, (writer) => work(slowly(writer)), how) }
  const service = createService({ platform: slow, store, accounts: accountsOn(store), now })
  const authenticate = createAuthenticator(service)
  const crm = clientOf(inProcessTransport(service, () => authenticate(connection.adminKey)))
  const poll = () => watchWorkspace(service, 1, new AbortController().signal)
  await poll()

  const creating = crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
  await inAccount
  await poll()
  const { LeadID } = await creating
  await poll()
  const { Records } = await crm.changes.getMany({ Filters: { RecordID: LeadID } })
  expect(Records).toMatchObject([{ EventType: 'lead.created', Transport: 'sdk' }])
})
