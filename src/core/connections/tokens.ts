import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../../contract/errors.ts'
import { ConnectionToken } from '../../contract/records/connection.ts'
import { backoffMs } from '../../helpers/backoff.ts'
import { Locks } from '../../helpers/locks.ts'
import type { Reader, TokenStore, Tokens, Writer } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { openField } from '../access/sealed-records.ts'
import { getRecord, newRecord } from '../call/records.ts'
import type { Service } from '../service.ts'

/** The lease of a renewal. It is prolonged while the CRM is asked, so that another process takes over soon after this one was killed. */
const LEASE_MS = 5_000
const PROLONG_MS = 1_500
/** How often a process looks whether another has finished a renewal. */
const LOOK_MS = 100
const SAVING = { attempts: 8, firstMs: 50, longestMs: 5_000 }

/** Tokens that the CRM has granted and the store did not take yet, by connection. */
const unsaved = new WeakMap<Service['store'], Map<string, Tokens>>()
/** Renewals of this process: those of one connection wait for each other. */
const locks = new WeakMap<Service['store'], Locks>()

/** The tokens of a connection, in the store and sealed. */
export function tokenStore(service: Service, workspace: number, connectionId: string): TokenStore {
  const { store } = service
  const pending = unsaved.get(store) ?? new Map<string, Tokens>()
  unsaved.set(store, pending)
  const renewals = locks.get(store) ?? new Locks()
  locks.set(store, renewals)
  const name = `${workspace} ${connectionId}`

  async function tokensIn(reader: Pick<Reader, 'get'>): Promise<Tokens | undefined> {
    const record = await getRecord(reader, ConnectionToken, connectionId)
    return record && (JSON.parse(openField(service.vault, workspace, ConnectionToken, record, 'Tokens')) as Tokens)
  }

  const read = () => tokensIn(store.reader(workspace))
  /** In a transaction, which sees all that was committed before: a snapshot of a reader may be older than the lease. */
  const readNewest = () => store.write(workspace, tokensIn)

  /** Stores tokens, trying again while the store is unavailable: the CRM does not grant them a second time. */
  async function save(tokens: Tokens): Promise<void> {
    pending.set(name, tokens)
    for (let attempt = 1; ; attempt++) {
      try {
        await store.write(workspace, (writer) => putTokens(service, writer, workspace, connectionId, tokens))
        pending.delete(name)
        return
      } catch (error) {
        if (attempt === SAVING.attempts || !store.classify(error)) throw error
        await sleep(backoffMs(attempt, SAVING))
      }
    }
  }

  /** Takes the lease, unless another process renews the tokens meanwhile: then resolves to what it has stored. */
  async function leased(holder: string, refused: string | undefined): Promise<Tokens | undefined> {
    while (!(await store.lease(leaseName(name), holder, LEASE_MS))) {
      await sleep(LOOK_MS)
      const tokens = await read()
      if (tokens && tokens.accessToken !== refused) return tokens
    }
    return undefined
  }

  async function renew(refused: string | undefined, request: (newest: Tokens) => Promise<Tokens>): Promise<Tokens> {
    const left = pending.get(name)
    if (left) await save(left)
    const holder = randomUUID()
    const renewed = await leased(holder, refused)
    if (renewed) return renewed
    const prolonging = setInterval(() => void store.lease(leaseName(name), holder, LEASE_MS).catch(() => {}), PROLONG_MS).unref()
    try {
      const newest = await readNewest()
      if (!newest) throw new CrmError('unauthenticated', 'The connection has no tokens any more.', { hint: 'Connect it again.' })
      if (newest.accessToken !== refused) return newest
      const tokens = await request(newest)
      await save(tokens)
      return tokens
    } finally {
      clearInterval(prolonging)
      await store.lease(leaseName(name), holder, 0).catch(() => {})
    }
  }

  return {
    read,
    async renew(refused, request) {
      const release = await renewals.take(name)
      try {
        return await renew(refused, request)
      } finally {
        release()
      }
    },
  }
}

const leaseName = (name: string) => `tokens of connection ${name}`

/** Stores the tokens of a connection, sealed, in place of those before. */
export async function putTokens({ vault }: Service, writer: StoreWriter, workspace: number, connectionId: string, tokens: Tokens): Promise<void> {
  if (writer.isDryRun) return
  const sealed = vault.seal(JSON.stringify(tokens), { workspace, type: ConnectionToken.name, id: connectionId, field: 'Tokens' })
  if (await getRecord(writer, ConnectionToken, connectionId)) await writer.update(ConnectionToken.name, connectionId, { Tokens: sealed })
  else await writer.create(ConnectionToken.name, newRecord(ConnectionToken, { id: connectionId, at: writer.now() }, { Tokens: sealed }))
}

/** Tokens that are tried before they are stored, and what they have been renewed to meanwhile. */
export function tokensInMemory(tokens: Tokens): TokenStore & { newest(): Tokens } {
  let newest = tokens
  return {
    newest: () => newest,
    read: async () => newest,
    async renew(_refused, request) {
      newest = await request(newest)
      return newest
    },
  }
}

export async function dropTokens(writer: Writer, id: string): Promise<void> {
  if (await getRecord(writer, ConnectionToken, id)) await writer.delete(ConnectionToken.name, id)
}

/** A refresh token among the secrets, which trying may replace; undefined where there is none. */
export function givenTokens({ refreshToken }: { readonly [name: string]: string | undefined }) {
  return refreshToken === undefined ? undefined : tokensInMemory({ accessToken: '', refreshToken, expires: 0 })
}

/** Stored tokens that are renewed before they are used, so that the secrets of the app are tried, too. */
export const renewedFirst = (store: TokenStore): TokenStore => ({
  ...store,
  async read() {
    const tokens = await store.read()
    return tokens && { ...tokens, expires: 0 }
  },
})
