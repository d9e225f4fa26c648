import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Crm, connect } from 'crm-connector'
import { acquireService } from '../../src/app/shared-service.ts'
import { readConfig } from '../../src/config/settings.ts'
import { addWorkspace } from '../../src/core/access/new-workspace.ts'
import type { Connection } from '../../src/testing/index.ts'
import { deadLetters } from './in-process.ts'

/** The connector in process, as a program uses the package: `connect` opens the store, a SQLite file unless given. */
export async function inProcessSdk(store?: string): Promise<Connection> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-sdk-'))
  const platform = store ?? `sqlite:${join(folder, 'crm.db')}`
  const { service, key, close } = await acquireService(readConfig({ platform, store: platform }))
  const { key: otherAdminKey } = await addWorkspace(service, 'other')
  const clients: Crm[] = []
  return {
    adminKey: key ?? '',
    otherAdminKey,
    signIn(key) {
      const crm = connect({ platform, key })
      clients.push(crm)
      return crm
    },
    leaveDeadLetter: deadLetters(service.store),
    async close() {
      for (const crm of clients) await crm.close()
      await close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
