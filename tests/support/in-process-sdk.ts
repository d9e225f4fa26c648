import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Crm, connect } from 'crm-connector'
import { shareService } from '../../src/app/shared-service.ts'
import { readConfig } from '../../src/config/settings.ts'
import { addWorkspace } from '../../src/core/access/bootstrap.ts'
import type { Connection } from '../../src/testing/index.ts'
import { deadLetters } from './in-process.ts'

/** The connector in this very process, as whoever imports the package has it: a store that `connect` opens itself. */
export async function inProcessSdk(): Promise<Connection> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-sdk-'))
  const platform = `sqlite:${join(folder, 'crm.db')}`
  const { service, close } = await shareService(readConfig({ platform, store: platform }))
  const { key: otherAdminKey } = await addWorkspace(service, 'other')
  const clients: Crm[] = []
  return {
    adminKey: (await readFile(join(folder, 'admin-key'), 'utf8')).trim(),
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
