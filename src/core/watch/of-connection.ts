import { Connection } from '../../contract/records/connection.ts'
import type { Reader, StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { findRecords } from '../call/records.ts'
import { BY_ID, IN_USE } from '../connections/switching.ts'
import { changeTo } from '../journal/changes.ts'
import { announce } from './announce.ts'

/**
 * Announces what the watch has found of an account as a whole, as an event of the connection in use, be it of the configuration or not: `resynced` where changes are not told
 * one by one, `repaired` where the mirror differed from the account. No user has done it.
 */
export async function announceOfConnection(writer: StoreWriter, eventName: 'resynced' | 'repaired', more: StoredRecord = {}): Promise<void> {
  const connection = await connectionInUse(writer)
  if (!connection) return
  const change = changeTo(Connection, eventName, connection, connection)
  const image = { ...change.after, ...more }
  await announce(writer, { ...change, before: image, after: image })
}

/** The connection that a workspace uses, be it of the configuration or not. */
export const connectionInUse = async (reader: Pick<Reader, 'find'>) => (await findRecords(reader, Connection, { where: IN_USE, order: BY_ID, limit: 1 }))[0]
