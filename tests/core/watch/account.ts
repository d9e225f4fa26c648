import type { TestContext } from 'vitest'
import { recordType } from '../../../src/contract/operations.ts'
import type { RecordType } from '../../../src/contract/record.ts'
import type { Event } from '../../../src/contract/records/event.ts'
import { acquireBinding } from '../../../src/core/call/acquire-binding.ts'
import { typeOn } from '../../../src/core/call/extension.ts'
import { idOf, shown } from '../../../src/core/call/records.ts'
import { createService, type Service } from '../../../src/core/service.ts'
import { followAll } from '../../../src/core/watch/attached/follow.ts'
import { mirroredTypes, recordOf, withOurUsers } from '../../../src/core/watch/mirrored.ts'
import { readPosition } from '../../../src/core/watch/positions.ts'
import { verifyMirror } from '../../../src/core/watch/verify.ts'
import { type HowToWatch, watchWorkspace } from '../../../src/core/watch/watch.ts'
import { type Watched, watchedIn } from '../../../src/core/watch/watched.ts'
import type { CrmName } from '../../../src/platforms/crms/names.ts'
import type { Reader, StoredRecord } from '../../../src/platforms/platform.ts'
import type { Store, Workspace } from '../../../src/platforms/store.ts'
import { accountsOn } from '../../support/accounts.ts'
import { peopleOf } from '../../support/crms/people.ts'
import { type Crm, overCrm } from '../../support/crms.ts'
import { otherClient } from '../../support/other-client.ts'

/** Records by type and id, as callers see them, without what every change sets. */
export type State = Map<string, StoredRecord>

const PAGE = 200

/** An account that the connector watches, with another client of it, the people in it, and a second process of the connector. Its store is one in memory, or a given one. */
export async function watchedAccount(name: string, crm: Crm, onTestFinished: TestContext['onTestFinished'], given?: Store) {
  const connection = await overCrm(crm, given && { store: given })
  const { service, simulator } = connection
  const open = async () => {
    const platform = await otherClient(crm, simulator.url)
    onTestFinished(() => platform.close())
    return platform
  }
  onTestFinished(() => connection.close())
  const workspace = (await service.store.workspace(1)) as Workspace
  const client = connection.signIn(connection.adminKey)

  async function watched<T>(work: (watched: Watched, types: readonly RecordType[]) => Promise<T>): Promise<T> {
    const binding = await acquireBinding(service, workspace)
    try {
      return await work(watchedIn(service, workspace, binding.platform) as Watched, mirroredTypes(binding.platform))
    } finally {
      binding.release()
    }
  }

  return {
    simulator,
    client,
    other: await open(),
    people: peopleOf(name as CrmName, simulator.url),
    watched,

    /** One poll of the watch, in this process or another. */
    poll: (by: Service = service, signal = new AbortController().signal, how: HowToWatch = {}) => watchWorkspace(by, 1, signal, how),

    /** Another process on the same store, which has read nothing of the account yet. */
    async process(): Promise<Service> {
      const { store, platforms, now } = service
      return createService({ platform: await open(), store, accounts: accountsOn(store), platforms, now })
    },

    mirror: () =>
      watched(async ({ mirror, userIds }, types) => {
        const users = await userIds()
        const rows = await Promise.all(types.map(async (type) => [type, await everything(mirror, type)] as const))
        const found = rows.flatMap(([type, some]) => some.map((row) => [type, recordOf(type, row, users)] as const))
        return new Map([...stateOf(found), ...(await attachedTo(mirror, found))])
      }),

    /** The records of the account, found by its searches and then read one by one. */
    account: () =>
      watched(async ({ platform, userIds }, types) => {
        const users = await userIds()
        const records = platform.reader(1, { asSearched: true })
        const found: (readonly [RecordType, StoredRecord])[] = []
        for (const type of types)
          for (const record of await everything(records, type)) {
            const read = await records.get(type.name, idOf(type, record))
            if (read) found.push([type, withOurUsers(read, users)])
          }
        return new Map([...stateOf(found), ...(await attachedTo(records, found))])
      }),

    /** The account and its mirror, for reading. */
    readers: () => watched(async ({ platform, mirror }) => [platform.reader(1, { asSearched: true }), mirror]),

    /** The rows of a type in the mirror, as they are stored. */
    rows: async (type: string) =>
      (await service.store.mirror(1).find(type, { where: [], order: { field: 'CreatedDate', descending: false }, limit: PAGE })).records,

    /** Takes what the mirror has of a note away. */
    spoil: (type: string, id: string) =>
      service.store.write(1, async (writer) => {
        const mirror = writer.inMirror()
        for (const row of await everything(mirror, recordType(type))) {
          const key = idOf(recordType(type), row)
          if (key.startsWith(id)) await mirror.delete(type, key)
        }
      }),

    /** A look at the notes, comments or memberships alone. */
    look: (type: string) =>
      watched(async (one) => {
        const position = await readPosition(service.store.journal(1))
        await followAll(one, typeOn(one.platform, recordType(type)), position?.types[type]?.since ?? 0)
      }),

    verify: () => watched((one) => verifyMirror(one, new AbortController().signal)),
    eraseMirror: () => service.store.eraseMirror(1),

    types: await watched(async (_watched, types) => new Map(types.map((type) => [type.name, type]))),

    /** The events of the mirrored types after a cursor. */
    events: (after: string) =>
      watched(async (_watched, types) => {
        const names = new Set(types.map((type) => type.name))
        const all: Event[] = []
        for (let After = after; ; ) {
          const { Events, NextCursor } = await client.events.getMany({ Limit: 1000, After })
          if (Events.length === 0) return all
          all.push(...Events.filter((event) => names.has(event.RecordType)))
          After = NextCursor
        }
      }),

    async cursor(): Promise<string> {
      let cursor: string | undefined
      for (;;) {
        const { Events, NextCursor } = await client.events.getMany({ Limit: 1000, ...(cursor !== undefined && { After: cursor }) })
        cursor = NextCursor
        if (Events.length === 0) return cursor
      }
    },
  }
}

export type WatchedAccount = Awaited<ReturnType<typeof watchedAccount>>

async function everything(reader: Reader, type: RecordType): Promise<StoredRecord[]> {
  const order = { field: type.createdField, descending: false }
  const all: StoredRecord[] = []
  let after: { readonly value: string; readonly id: string } | undefined
  for (;;) {
    const { records, more } = await reader.find(type.name, { where: [], order, limit: PAGE, ...(after && { after }) })
    all.push(...records)
    const last = records.at(-1)
    if (!more || !last) return all
    after = { value: last[type.createdField] as string, id: idOf(type, last) }
  }
}

/** What is attached to records, by its type and that of its parent, and the ids of both. */
async function attachedTo(reader: Reader, parents: readonly (readonly [RecordType, StoredRecord])[]): Promise<State> {
  const state: State = new Map()
  for (const [type, record] of parents)
    for (const child of type.children.map((one) => recordType(one.type))) {
      const where = [{ field: child.childOf?.field ?? '', family: 'text', operator: 'eq', value: idOf(type, record) } as const]
      const { records } = await reader.find(child.name, { where, order: { field: child.createdField, descending: false }, limit: PAGE, on: type.name })
      for (const one of records) state.set(...attachedState(type, idOf(type, record), child, shown(child, one)))
    }
  return state
}

/** The place of a note, comment or membership in a state, and what is to be seen of it. Its author may be one of our users. */
export function attachedState(type: RecordType, parent: string, child: RecordType, image: StoredRecord): [place: string, visible: StoredRecord] {
  const { AuthorID: _author, [type.id]: _parent, ...rest } = image
  return [`${type.name} ${parent} ${child.name} ${image[child.internalId ? 'CampaignID' : child.id]}`, visible(child, rest as StoredRecord)]
}

const stateOf = (records: readonly (readonly [RecordType, StoredRecord])[]): State =>
  new Map(
    records.map(([type, record]) => [`${type.name} ${idOf(type, record)}`, visible(type, shown(type, record))] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  )

/** A record without what every change sets, and without what it has no value or no place for. */
export function visible({ fields }: RecordType, record: StoredRecord): StoredRecord {
  const { UpdatedDate: _date, Revision: _revision, ...rest } = record
  return Object.fromEntries(Object.entries(rest).filter(([name, value]) => value !== null && fields[name]?.absent === undefined))
}
