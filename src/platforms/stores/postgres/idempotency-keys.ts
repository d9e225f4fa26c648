import { batching } from '../../../helpers/batching.ts'
import type { IdempotencyEntry } from '../../store.ts'
import { quoted } from '../sql/tables.ts'
import { Overtaken } from './errors.ts'
import { into } from './inserts.ts'
import type { Ask } from './pool.ts'
import type { Work } from './work.ts'

/** The keys that a transaction has read, with the time at which each was stored; undefined where there was none. */
export type Seen = Map<string, string | undefined>

export const nameOf = (userId: string, key: string) => `${userId} ${key}`

/** Finds a user's idempotency key. */
export type LookUp = (userId: string, key: string) => Promise<IdempotencyEntry | undefined>

/** An answer that is not stored with the key equals the After image of the change. */
const FIND = `SELECT o."UserID", o."Key", o."Fingerprint", o."At", o."State", COALESCE(o."Answer", c."After"), o."ChangeID" FROM "Once" o
  LEFT JOIN "Change" c ON c."Workspace" = o."Workspace" AND c."ChangeID" = o."ChangeID"
  WHERE o."Workspace" = ? AND (o."UserID", o."Key") IN (SELECT * FROM unnest(CAST(? AS TEXT[]), CAST(? AS TEXT[])))`

interface UserKey {
  readonly userId: string
  readonly key: string
}

async function findKeys(ask: Ask, workspace: number, wanted: readonly UserKey[]): Promise<(IdempotencyEntry | undefined)[]> {
  const rows = (await ask(FIND, [workspace, wanted.map(({ userId }) => userId), wanted.map(({ key }) => key)])) as readonly string[][]
  const found = new Map(rows.map(([userId = '', key = '', ...rest]) => [nameOf(userId, key), rest as unknown as Cells]))
  return wanted.map(({ userId, key }) => {
    const cells = found.get(nameOf(userId, key))
    return cells && { fingerprint: cells[0], at: cells[1], state: cells[2], answer: cells[3], changeId: cells[4] }
  })
}

type Cells = readonly [string, string, IdempotencyEntry['state'], string | null, string | null]

export function lookUpIn(ask: Ask, workspace: number): LookUp {
  return async (userId, key) => (await findKeys(ask, workspace, [{ userId, key }]))[0]
}

/** Like `lookUpIn`; concurrent calls share a query. */
export function lookUpBatched(ask: Ask, workspace: number): LookUp {
  const lookUp = batching<UserKey, IdempotencyEntry | undefined>({ groups: 3, most: 100 }, (wanted) => findKeys(ask, workspace, wanted))
  return (userId, key) => lookUp({ userId, key })
}

const COLUMNS = ['UserID', 'Key', 'Fingerprint', 'At', 'State', 'Answer', 'ChangeID']
const ONCE = into('Once', [['Workspace', 'INTEGER'], ...COLUMNS.map((name) => [name, 'TEXT'] as const)])
const REPLACE = `INSERT INTO "Once" ("Workspace", ${COLUMNS.map(quoted).join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT ("Workspace", "UserID", "Key") DO UPDATE
  SET "Fingerprint" = excluded."Fingerprint", "At" = excluded."At", "State" = excluded."State", "Answer" = excluded."Answer", "ChangeID" = excluded."ChangeID"`

/** Stores a key. Throws Overtaken when another transaction has stored it since this one read it. */
export async function putKey(work: Work, workspace: number, userId: string, key: string, entry: IdempotencyEntry, seen: Seen): Promise<void> {
  const name = nameOf(userId, key)
  const row = [workspace, userId, key, entry.fingerprint, entry.at, entry.state, entry.answer, entry.changeId]
  const since = seen.get(name)
  if (since !== undefined) {
    const { count } = await work.now(`${REPLACE} WHERE "Once"."At" = ?`, [...row, since])
    if (count === 0) throw new Overtaken('The key was used by another call.')
  } else if (seen.has(name)) work.add({ into: ONCE, values: row })
  else work.run(REPLACE, row)
  seen.delete(name)
}

export function releaseKey(work: Work, workspace: number, userId: string, key: string): void {
  work.run('DELETE FROM "Once" WHERE "Workspace" = ? AND "UserID" = ? AND "Key" = ?', [workspace, userId, key])
}
