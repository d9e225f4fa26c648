import { onTestFinished } from 'vitest'
import { type Crm, clientOf } from '../../src/contract/client/client.ts'
import { CrmError } from '../../src/contract/errors.ts'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { createService, type Service, type Settings } from '../../src/core/service.ts'
import { type Extensions, extendedPlatform } from './extended-platform.ts'
import { temporarySqlite } from './in-process.ts'

/** A service for one test, on a platform with more fields and limits than the contract has. */
export async function extendedService(
  beyond: Extensions,
  settings?: Settings,
): Promise<{ readonly crm: Crm; readonly service: Service; readonly key: string }> {
  const [records, store] = [await temporarySqlite(), await temporarySqlite()]
  onTestFinished(async () => {
    await records.close()
    await store.close()
  })
  const service = createService({ platform: extendedPlatform(records, beyond), store, ...(settings && { settings }) })
  const { key = '' } = await bootstrap(service)
  const authenticate = createAuthenticator(service)
  return { crm: clientOf(inProcessTransport(service, () => authenticate(key))), service, key }
}

/** The error that a call is refused with. */
export async function refusalOf(call: Promise<unknown>): Promise<CrmError> {
  const error: unknown = await call.then(
    () => new Error('It was not refused.'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof CrmError) return error
  throw error
}

/** Extra fields, as a configuration would define them. */
export const COMPANY: Extensions = {
  extras: {
    Lead: {
      Firm: { kind: 'text', label: 'Firm', readOnly: false },
      Headcount: { kind: 'integer', label: 'Headcount', readOnly: false },
      Budget: { kind: 'money', label: 'Budget', readOnly: false },
      Vip: { kind: 'boolean', label: 'VIP', readOnly: false },
      Met: { kind: 'timestamp', label: 'Met', readOnly: false },
      Grade: { kind: 'choice', label: 'Grade', readOnly: false },
      Score: { kind: 'number', label: 'Score', readOnly: true },
    },
  },
  fields: { Lead: { Firm: { required: true, max: 20 }, Grade: { closed: ['Hot', 'Cold'] } } },
}
