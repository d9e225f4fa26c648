import { CrmError } from '../../../contract/errors.ts'
import type { Pool } from './pool.ts'

/** How long to wait for the lease and the connections of a killed service to end. */
const WAIT_MS = 5_000
const POLL_MS = 250

/**
 * Whether a service has the store open: then one of them holds the sequencer's lease. A stopped service releases it, that of a killed one
 * expires. Connections are evidence too, except where the database has another store, and except those of a pooler, which outlive the
 * service.
 */
const IN_USE = `SELECT EXISTS (SELECT 1 FROM "Lease" WHERE "Name" = 'sequencer' AND "Until" > now()),
  EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'crm-connector'
    AND COALESCE(state_change, now()) > now() - INTERVAL '1 minute') AND NOT EXISTS
    (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = 'Pulse' AND n.nspname <> current_schema() AND n.nspname !~ '^(before_restore|restoring)_')`

/** Throws `conflict` while a service has the store open. */
export async function refuseInUse(pool: Pool): Promise<void> {
  for (const began = performance.now(); ; ) {
    const [row] = await pool.read(IN_USE, [])
    const [leased, connected] = row as [boolean, boolean]
    if (!leased && (!connected || pool.isPooled())) return
    if (performance.now() - began > WAIT_MS) throw new CrmError('conflict', 'The store is in use.', { hint: 'Stop the service, then try again.' })
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
