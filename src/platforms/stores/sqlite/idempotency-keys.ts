import type { IdempotencyEntry } from '../../store.ts'
import { hashOf, RELEASED, runOf, withAnswer } from './key-index.ts'
import type { Work } from './work.ts'

export function findIdempotencyKey(work: Work, userId: string, key: string): IdempotencyEntry | undefined {
  const { connection, workspace, transaction } = work
  transaction.lastKey ??= transaction.keys.refresh(connection)
  return withAnswer(connection, workspace, transaction.keys.find(connection, workspace, userId, key))
}

export function putIdempotencyKey(work: Work, userId: string, key: string, { fingerprint, at, state, answer, changeId }: IdempotencyEntry): void {
  const { connection, workspace, transaction } = work
  const number = (transaction.lastKey ?? transaction.keys.refresh(connection)) + 1
  const hash = hashOf(workspace, userId, key)
  work.insert(
    'INSERT INTO "Once" ("Number", "Run", "Hash", "Workspace", "UserID", "Key", "Fingerprint", "At", "State", "Answer", "ChangeID") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    [number, runOf(number), hash, workspace, userId, key, fingerprint, at, state, answer, changeId],
  )
  transaction.lastKey = number
  transaction.keys.add(number, hash)
}

export function releaseIdempotencyKey(work: Work, userId: string, key: string): void {
  const { connection, workspace, transaction } = work
  transaction.lastKey ??= transaction.keys.refresh(connection)
  const row = transaction.keys.find(connection, workspace, userId, key)
  if (row) work.run('UPDATE "Once" SET "State" = ? WHERE "Number" = ?', [RELEASED, row.number])
}

/** Erases the answers that are stored with the keys of a record's changes. */
export function eraseAnswers(work: Work, type: string, recordId: string): void {
  const { connection, workspace, transaction } = work
  const changes = connection.all(
    'SELECT "ChangeID" AS changeId, "UserID" AS userId, "IdempotencyKey" AS key FROM "Change" INDEXED BY "Change_RecordID" WHERE "Workspace" = ? AND "RecordID" = ? AND "RecordType" = ? AND "IdempotencyKey" IS NOT NULL',
    [workspace, recordId, type],
  ) as { changeId: string; userId: string; key: string }[]
  transaction.lastKey ??= transaction.keys.refresh(connection)
  for (const { changeId, userId, key } of changes) {
    const row = transaction.keys.find(connection, workspace, userId, key)
    if (row?.changeId === changeId) work.run('UPDATE "Once" SET "Answer" = NULL WHERE "Number" = ?', [row.number])
  }
}
