import { LIMITS } from '../../contract/limits.ts'
import { Connection } from '../../contract/records/connection.ts'
import { findRecords } from '../call/records.ts'
import type { Service } from '../service.ts'
import { type StoredConnection, settingsOf } from './settings.ts'
import { BY_ID } from './switching.ts'

/**
 * Gives the tokens of a connection back to the CRM, when the answer is called: they are read before the connection is deleted, and given back afterwards.
 * One that the CRM does not take back expires by itself, or is removed there.
 */
export async function givingTokensBack(service: Service, workspace: number, connection: StoredConnection): Promise<() => Promise<void>> {
  const unlessRefused = <T>(work: () => Promise<T>) => work().catch(() => undefined)
  const given = await unlessRefused(async () => {
    const settings = settingsOf(service, workspace, connection)
    return { settings, tokens: await settings.tokens?.read() }
  })
  return async () => {
    if (!given?.tokens) return
    const { settings, tokens } = given
    await unlessRefused(async () => (await service.accounts?.authorization(settings))?.revoke(tokens))
  }
}

/** The same for all connections of a workspace that is to be erased. */
export async function giveAllTokensBack(service: Service, workspace: number): Promise<void> {
  const where = [{ field: 'Configured', family: 'boolean', operator: 'eq', value: false }] as const
  const connections = await findRecords(service.store.reader(workspace), Connection, { where, order: BY_ID, limit: LIMITS.page })
  await Promise.all(connections.map(async (connection) => (await givingTokensBack(service, workspace, connection))()))
}
