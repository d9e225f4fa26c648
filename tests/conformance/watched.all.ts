import { setTimeout as sleep } from 'node:timers/promises'
import { watchWorkspace } from '../../src/core/watch/watch.ts'
import type { Connection } from '../../src/testing/index.ts'
import { ALL_CRMS } from '../support/crms/all.ts'
import { type Crm, overCrm } from '../support/crms.ts'
import { sharedPass } from '../support/passes.ts'

const PAUSE_MS = 300

/** The connector over a CRM that is watched all the time, so that every write finds a mirror. */
async function overWatched(crm: Crm): Promise<Connection> {
  const connection = await overCrm(crm, { isWatched: true })
  const { service } = connection
  const ending = new AbortController()
  const { signal } = ending
  const watch = async (workspace: number) => {
    while (!signal.aborted) {
      await watchWorkspace(service, workspace, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      await sleep(PAUSE_MS)
    }
  }
  await Promise.all([1, 2].map((workspace) => watchWorkspace(service, workspace, signal)))
  const watching = Promise.all([1, 2].map(watch))
  return {
    ...connection,
    async close() {
      ending.abort()
      await watching
      await connection.close()
    },
  }
}

const names = ALL_CRMS.map(([name]) => name)
for (const [name, crm] of ALL_CRMS) sharedPass(names, name, `${name}, watched`, () => overWatched(crm))
