import { Connection } from '../../contract/records/connection.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { findRecords, nextRevision } from '../call/records.ts'
import { changeTo, type RecordChange } from '../journal/changes.ts'
import type { StoredConnection } from './settings.ts'

export const BY_ID = { field: Connection.id, descending: false } as const
export const IN_USE = [{ field: 'InUse', family: 'boolean', operator: 'eq', value: true }] as const

/** A pending connection serves nothing, so that it is not in use; that it is to be is kept until it is connected. */
export const usage = (use: boolean, isConnected: boolean) => ({ InUse: use && isConnected, UseWhenConnected: use && !isConnected })

/** Makes this the only connection in use, from now on. */
export async function useAlone(writer: StoreWriter, id: string): Promise<RecordChange[]> {
  const others = (await findRecords(writer, Connection, { where: IN_USE, order: BY_ID, limit: 100 })).filter((one) => one.ConnectionID !== id)
  const changes: RecordChange[] = []
  for (const other of others) changes.push(await setInUse(writer, other, false))
  return changes
}

/** Where no other connection is used, the configured one is again. */
export async function useConfigured(writer: StoreWriter): Promise<RecordChange[]> {
  const where = [{ field: 'Configured', family: 'boolean', operator: 'eq', value: true }] as const
  const [configured] = await findRecords(writer, Connection, { where, order: BY_ID, limit: 1 })
  return configured && !configured.InUse ? [await setInUse(writer, configured, true)] : []
}

async function setInUse(writer: StoreWriter, connection: StoredConnection, inUse: boolean): Promise<RecordChange> {
  const applied = { InUse: inUse, ...nextRevision(connection, writer.now()) }
  await writer.update(Connection.name, connection.ConnectionID, applied)
  return changeTo(Connection, 'updated', connection, { ...connection, ...applied })
}
