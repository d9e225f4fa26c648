import type { Kept } from '../platform.ts'
import { Overtaken } from './errors.ts'
import type { Ask } from './reader.ts'
import type { Work } from './work.ts'

/** The keys that a transaction has asked for, and since when each is kept. */
export type Seen = Map<string, string | undefined>

const nameOf = (userId: string, key: string) => `${userId} ${key}`

/** An answer that is kept nowhere else is the After of the change. */
const FIND = `SELECT o."Fingerprint", o."At", o."State", COALESCE(o."Answer", c."After"), o."ChangeID" FROM "Once" o
  LEFT JOIN "Change" c ON c."Workspace" = o."Workspace" AND c."ChangeID" = o."ChangeID" WHERE o."Workspace" = ? AND o."UserID" = ? AND o."Key" = ?`

export async function keptOf(ask: Ask, workspace: number, userId: string, key: string, seen?: Seen): Promise<Kept | undefined> {
  const [row] = await ask(FIND, [workspace, userId, key])
  const [fingerprint, at, state, answer, changeId] = (row ?? []) as [string, string, Kept['state'], string | null, string | null]
  seen?.set(nameOf(userId, key), row ? at : undefined)
  return row && { fingerprint, at, state, answer, changeId }
}

const COLUMNS = '"Workspace", "UserID", "Key", "Fingerprint", "At", "State", "Answer", "ChangeID"'
const INSERT = `INSERT INTO "Once" (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
const REPLACE = `${INSERT} ON CONFLICT ("Workspace", "UserID", "Key") DO UPDATE SET "Fingerprint" = excluded."Fingerprint", "At" = excluded."At", "State" = excluded."State", "Answer" = excluded."Answer", "ChangeID" = excluded."ChangeID"`

/** Keeps a key. Where another transaction has kept it since this one asked, this one has come too late. */
export async function keepKey(work: Work, workspace: number, userId: string, key: string, kept: Kept, seen: Seen): Promise<void> {
  const name = nameOf(userId, key)
  const row = [workspace, userId, key, kept.fingerprint, kept.at, kept.state, kept.answer, kept.changeId]
  const since = seen.get(name)
  if (since !== undefined) {
    const { count } = await work.now(`${REPLACE} WHERE "Once"."At" = ?`, [...row, since])
    if (count === 0) throw new Overtaken('The key was used by another call.')
  } else work.run(seen.has(name) ? INSERT : REPLACE, row)
  seen.delete(name)
}

export function releaseKey(work: Work, workspace: number, userId: string, key: string): void {
  work.run('DELETE FROM "Once" WHERE "Workspace" = ? AND "UserID" = ? AND "Key" = ?', [workspace, userId, key])
}
