import { CrmError } from '../../../contract/errors.ts'
import type { Pool } from './pool.ts'

/** How long what a killed service has left may be taken for the service. */
const LEFT_MS = 5_000
const LOOK_MS = 250

/**
 * Whether somebody has the store open. Every service holds the lease of the sequencer or sees that another does; one that has
 * stopped gives it back, one that was killed does so when it runs out. Connections count where no other store is in the database, and unless they are a
 * pooler's, which keeps them when the service is gone.
 */
const IN_USE = `SELECT EXISTS (SELECT 1 FROM "Lease" WHERE "Name" = 'sequencer' AND "Until" > now()),
  EXISTS (SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'crm-connector'
    AND COALESCE(state_change, now()) > now() - INTERVAL '1 minute') AND NOT EXISTS
    (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relname = 'Pulse' AND n.nspname <> current_schema() AND n.nspname !~ '^(before_restore|restoring)_')`

/** Refuses to touch a store that somebody has open. */
export async function refuseInUse(pool: Pool): Promise<void> {
  for (const began = performance.now(); ; ) {
    const [row] = await pool.read(IN_USE, [])
    const [leased, connected] = row as [boolean, boolean]
    if (!leased && (!connected || pool.isPooled())) return
    if (performance.now() - began > LEFT_MS) throw new CrmError('conflict', 'The store is in use.', { hint: 'Stop the service, then try again.' })
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
