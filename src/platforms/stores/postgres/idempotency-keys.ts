import type { IdempotencyEntry } from '../../store.ts'
import { quoted } from '../sql/tables.ts'
import { Overtaken } from './errors.ts'
import { gathering } from './gather.ts'
import { into } from './inserts.ts'
import type { Ask } from './pool.ts'
import type { Work } from './work.ts'

/** The keys that a transaction has asked for, and since when each is kept. */
export type Seen = Map<string, string | undefined>

export const nameOf = (userId: string, key: string) => `${userId} ${key}`

/** Looks up what is kept of a user's key. */
export type LookUp = (userId: string, key: string) => Promise<IdempotencyEntry | undefined>

/** An answer that is kept nowhere else is the After of the change. */
const FIND = `SELECT o."UserID", o."Key", o."Fingerprint", o."At", o."State", COALESCE(o."Answer", c."After"), o."ChangeID" FROM "Once" o
  LEFT JOIN "Change" c ON c."Workspace" = o."Workspace" AND c."ChangeID" = o."ChangeID"
  WHERE o."Workspace" = ? AND (o."UserID", o."Key") IN (SELECT * FROM unnest(CAST(? AS TEXT[]), CAST(? AS TEXT[])))`

interface Asked {
  readonly userId: string
  readonly key: string
}

async function keptOf(ask: Ask, workspace: number, asked: readonly Asked[]): Promise<(IdempotencyEntry | undefined)[]> {
  const rows = (await ask(FIND, [workspace, asked.map(({ userId }) => userId), asked.map(({ key }) => key)])) as readonly string[][]
  const found = new Map(rows.map(([userId = '', key = '', ...rest]) => [nameOf(userId, key), rest as unknown as Cells]))
  return asked.map(({ userId, key }) => {
    const cells = found.get(nameOf(userId, key))
    return cells && { fingerprint: cells[0], at: cells[1], state: cells[2], answer: cells[3], changeId: cells[4] }
  })
}

type Cells = readonly [string, string, IdempotencyEntry['state'], string | null, string | null]

export function lookUpIn(ask: Ask, workspace: number): LookUp {
  return async (userId, key) => (await keptOf(ask, workspace, [{ userId, key }]))[0]
}

/** The same for many who ask at the same time. */
export function lookUpTogether(ask: Ask, workspace: number): LookUp {
  const look = gathering<Asked, IdempotencyEntry | undefined>({ groups: 3, most: 100 }, (asked) => keptOf(ask, workspace, asked))
  return (userId, key) => look({ userId, key })
}

const COLUMNS = ['UserID', 'Key', 'Fingerprint', 'At', 'State', 'Answer', 'ChangeID']
const ONCE = into('Once', [['Workspace', 'INTEGER'], ...COLUMNS.map((name) => [name, 'TEXT'] as const)])
const REPLACE = `INSERT INTO "Once" ("Workspace", ${COLUMNS.map(quoted).join(', ')}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT ("Workspace", "UserID", "Key") DO UPDATE
  SET "Fingerprint" = excluded."Fingerprint", "At" = excluded."At", "State" = excluded."State", "Answer" = excluded."Answer", "ChangeID" = excluded."ChangeID"`

/** Keeps a key. Where another transaction has kept it since this one asked, this one has come too late. */
export async function keepKey(work: Work, workspace: number, userId: string, key: string, kept: IdempotencyEntry, seen: Seen): Promise<void> {
  const name = nameOf(userId, key)
  const row = [workspace, userId, key, kept.fingerprint, kept.at, kept.state, kept.answer, kept.changeId]
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
