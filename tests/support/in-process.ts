import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientOf } from '../../src/contract/client/client.ts'
import { Attempt, Delivery } from '../../src/contract/records/webhook.ts'
import { createAuthenticator } from '../../src/core/access/authenticate.ts'
import { bootstrap } from '../../src/core/access/bootstrap.ts'
import { addWorkspace } from '../../src/core/access/new-workspace.ts'
import { inProcessTransport } from '../../src/core/call/in-process.ts'
import { newRecord } from '../../src/core/call/records.ts'
import { createService, type Service } from '../../src/core/service.ts'
import type { Store } from '../../src/platforms/store.ts'
import { openSqlite } from '../../src/platforms/stores/sqlite/sqlite.ts'
import type { Connection } from '../../src/testing/index.ts'
import { accountsOn } from './accounts.ts'

export interface Opened {
  readonly service: Service
  readonly adminKey: string
  readonly otherAdminKey: string
}

/** A service on a new store, with an admin in each of two workspaces. */
export async function openService(store: Store): Promise<Opened> {
  const service = createService({ platform: store, store, accounts: accountsOn(store) })
  const { key } = await bootstrap(service)
  if (key === undefined) throw new Error('The store is not new.')
  return { service, adminKey: key, otherAdminKey: (await addWorkspace(service, 'other')).key }
}

/** The connector in process, without a network transport. */
export async function inProcess(store: Store): Promise<Connection> {
  const { service, adminKey, otherAdminKey } = await openService(store)
  const authenticate = createAuthenticator(service)
  return {
    adminKey,
    otherAdminKey,
    signIn: (key) => clientOf(inProcessTransport(service, () => authenticate(key))),
    leaveDeadLetter: deadLetters(store),
    close: () => store.close(),
  }
}

/** Creates dead letters in the first workspace of a store, as after a long failure of the target. */
export function deadLetters(store: Store): (webhookId: string) => Promise<string> {
  // Each is of another event.
  let number = 0
  return async (webhookId) => {
    const [workspace] = await store.workspaces()
    return store.write(workspace?.number ?? 0, async (writer) => {
      const made = writer.newId()
      const event = { WebhookID: webhookId, EventID: String(++number).padStart(12, '0'), EventType: 'lead.created', RecordID: made.id }
      const error = 'It answered with 500.'
      await writer.create(
        Delivery.name,
        newRecord(Delivery, made, { ...event, State: 'dead', Attempts: 10, LastAttempt: made.at, LastStatus: 500, LastError: error }),
      )
      const answer = { Status: 500, Error: error, Milliseconds: 12, AnswerHeaders: { server: 'down' }, AnswerBody: 'Out of order' }
      await writer.create(
        Attempt.name,
        newRecord(Attempt, writer.newId(), { ...event, ...answer, SentDate: made.at, Delivered: false, RequestHeaders: { 'webhook-id': made.id } }),
      )
      return made.id
    })
  }
}

/** A new SQLite file, deleted when the store is closed. */
export async function temporarySqlite(): Promise<Store> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-'))
  const store = await openSqlite(join(folder, 'crm.db'))
  return {
    ...store,
    async close() {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
