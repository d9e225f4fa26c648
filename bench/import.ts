import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Result, ratiosOf } from './report.ts'

const ROWS = 100_000
const ROUNDS = 3
/** Rows in a batch of the import, and in the four batches that it sends concurrently, which the store may commit together. */
const [BATCH, TOGETHER] = [1000, 4000]

/** Unsorted rows, as in real files, so that each one writes to a different part of the indexes. */
function people(): string {
  const line = (_: unknown, i: number) => {
    const mixed = (i * 7919) % ROWS
    return `First ${mixed % 997},Last ${(mixed * 31) % 50_021},person${mixed}@example.com,+49 30 ${(mixed * 104_729) % 9_999_991}`
  }
  return `FirstName,LastName,Email,Phone\n${Array.from({ length: ROWS }, line).join('\n')}\n`
}

/**
 * An import against bare loops that read the same file with the same reader and write with prepared INSERTs into the same tables, equally
 * durable: one that writes only the records, and one that writes every row of the import (record, audit entry, idempotency key)
 * without computing hashes. They commit a batch at a time, and then as many rows as the import's largest transaction.
 * Each side is a separate process, and they alternate.
 */
export async function importRatios(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-bench-'))
  const file = join(folder, 'leads.csv')
  writeFileSync(file, people())
  let stores = 0

  const run = (words: readonly string[]): number => {
    const { Rows, Seconds } = JSON.parse(execFileSync(process.execPath, words, { encoding: 'utf8', env: { ...process.env, HOME: folder } }).trim())
    if (Rows !== ROWS) throw new Error(`${words.join(' ')} took ${Rows} rows`)
    return ROWS / Seconds
  }
  const store = () => join(folder, `${++stores}.db`)
  const loop = (which: string, size: number) => run(['scripts/run.js', 'bench/import-loop.ts', file, store(), String(size), which])

  try {
    const rounds = Array.from({ length: ROUNDS }, () => {
      const path = store()
      const words = ['dist/main.js', 'import', file, '--yes', '--platform', `sqlite:${path}`]
      return {
        records: loop('records', BATCH),
        all: loop('all', BATCH),
        ours: run(words),
        again: run(words),
        recordsTogether: loop('records', TOGETHER),
        allTogether: loop('all', TOGETHER),
      }
    })
    const result = ratiosOf(rounds)
    const what = `Import of ${ROWS.toLocaleString('en')} leads from CSV`
    const [few, many] = [BATCH, TOGETHER].map((size) => `${size.toLocaleString('en')} rows a transaction`)
    return [
      result(`${what}, against INSERTs of every row it leaves, ${few}`, 'ours', 'all', 'Lead, Change, Once', 0.5),
      result(`${what}, against INSERTs of the records alone, ${few}`, 'ours', 'records', 'Lead', 0.5),
      result(`The same, against INSERTs of every row, ${many}`, 'ours', 'allTogether', 'Lead, Change, Once', 0.5),
      result(`The same, against INSERTs of the records alone, ${many}`, 'ours', 'recordsTogether', 'Lead', 0.5),
      result('The same file again, when every row is there, against the first time', 'again', 'ours', 'first time'),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
