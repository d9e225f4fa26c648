import { digestOf } from '../access/keys.ts'
import type { Caller, Service } from '../service.ts'

/** What a client has asked for in earlier requests, which other processes may have answered. */
export interface ClientSession {
  /** The resources that it has subscribed to. */
  readonly subscribed: readonly string[]
  /** The cursor from which on events of them are sent: that of the first subscription. */
  readonly after?: string | undefined
  /** The requests that it has cancelled last. */
  readonly cancelled: readonly (string | number)[]
  /** Set once the client has left. */
  readonly ended?: true
}

/** The sessions of one user, by the ids that clients send. Those of other users are others, whatever their id; a client that renews its token keeps its own. */
export interface ClientSessions {
  read(id: string): Promise<ClientSession | undefined>
  /** Keeps a session from expiring for another while, if there is one. */
  keep(id: string): Promise<void>
  /** Stores what `change` makes of a session. One that throws leaves it as it is. */
  update(id: string, change: (session: ClientSession) => ClientSession): Promise<ClientSession>
}

const NEW: ClientSession = { subscribed: [], cancelled: [] }

/** Under which user sessions are stored among the idempotency keys: no user has this id, and they expire like the others. */
const USER = '(session)'

export function clientSessions({ store }: Service, caller: Caller): ClientSessions {
  const { number } = caller.workspace
  const keyOf = (id: string) => digestOf(`${caller.userId} ${id}`)
  const parse = (entry: { readonly answer: string | null } | undefined) => (entry?.answer ? (JSON.parse(entry.answer) as ClientSession) : undefined)
  const update: ClientSessions['update'] = (id, change) =>
    store.write(number, async (writer) => {
      // Two requests of a client may reach two processes at the same time.
      await writer.lockWorkspace()
      const session = change(parse(await writer.findIdempotencyKey(USER, keyOf(id))) ?? NEW)
      await writer.putIdempotencyKey(USER, keyOf(id), { fingerprint: '', at: writer.now(), state: 'done', answer: JSON.stringify(session), changeId: null })
      return session
    })
  const read: ClientSessions['read'] = async (id) => parse(await store.journal(number).findIdempotencyKey(USER, keyOf(id)))
  return {
    read,
    update,
    async keep(id) {
      if (await read(id)) await update(id, (session) => session)
    },
  }
}
