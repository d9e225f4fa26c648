import { recordType } from '../../src/contract/operations.ts'
import { changeTo } from '../../src/core/journal/changes.ts'
import { announce } from '../../src/core/watch/announce.ts'
import type { StoredRecord } from '../../src/platforms/platform.ts'
import type { TestServer } from '../support/server.ts'

/** Announces a lead as the watch of a CRM does where another has created it. */
export async function createdInCrm({ call, service }: TestServer, LastName: string): Promise<void> {
  const lead = (await call('create_a_lead', { FirstName: 'Ada', LastName: 'Elsewhere' })) as StoredRecord
  await service.store.write(1, (writer) => announce(writer, changeTo(recordType('Lead'), 'created', null, { ...lead, LastName })))
}

/** Announces that a mirror is filled anew, as the watch does. */
export async function resynced({ service }: TestServer): Promise<void> {
  const connection = { ConnectionID: 'hubspot', Platform: 'hubspot' }
  await service.store.write(1, (writer) => announce(writer, changeTo(recordType('Connection'), 'resynced', connection, connection)))
}
