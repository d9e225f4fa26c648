import { existsSync, readFileSync } from 'node:fs'
import { expect } from 'vitest'

/** Makes unique words in no alphabetical order, so that remains of them can be found in a file. Each call makes another. */
export function secretWords(): { readonly made: string[]; (): string } {
  const made: string[] = []
  const make = () => {
    const count = made.length
    const word = `${letters(4, count)}${String(count).padStart(5, '0')}${letters(7, count + 100_000)}`
    made.push(word)
    return word
  }
  return Object.assign(make, { made })
}

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'

function letters(count: number, seed: number): string {
  const digits = BigInt.asUintN(64, BigInt(seed + 1) * 0x9e3779b97f4a7c15n) >> 16n
  return Array.from({ length: count }, (_, i) => LETTERS[Number((digits / 20n ** BigInt(i)) % 20n)]).join('')
}

/** This many characters of a word count as a trace of it. */
const PIECE = 8

/** The words that have traces in a file. */
export function tracesIn(path: string, words: readonly string[]): string[] {
  if (!existsSync(path)) return []
  const pieces = new Map<string, string>()
  for (const word of words)
    for (let at = 0; at + PIECE <= word.length; at++) if (/\d/.test(word.slice(at, at + PIECE))) pieces.set(word.slice(at, at + PIECE), word)
  const found = new Set<string>()
  for (const [run] of readFileSync(path, 'latin1').matchAll(/[A-Za-z0-9]{8,}/g))
    for (let at = 0; at + PIECE <= run.length; at++) {
      const word = pieces.get(run.slice(at, at + PIECE))
      if (word !== undefined) found.add(word)
    }
  return [...found]
}

/**
 * There are no traces of these words in a store's write-ahead log and almost none in its file: where pages were split or merged, a stale
 * copy may remain in the free part of a page until it is overwritten.
 */
export function expectForgotten(path: string, words: readonly string[]): void {
  expect(tracesIn(`${path}-wal`, words)).toEqual([])
  expect(tracesIn(path, words).length).toBeLessThanOrEqual(words.length / 100)
}

export type Call = (operation: string, input: object) => Promise<Record<string, unknown>>

/** Writes records to erase among others that remain: updated, deleted, and with attachments. Resolves to those to erase. */
export async function fillWithSecrets(call: Call, secret: () => string, others: number): Promise<{ RecordType: string; RecordID: string }[]> {
  const targets: { RecordType: string; RecordID: string }[] = []
  const plain = (i: number) => `plain${(i * 7919) % 1000}${'x'.repeat(i % 30)}`
  for (let i = 0; i < others; i++) {
    const { LeadID } = await call('create_a_lead', { FirstName: plain(i), LastName: plain(i + 500), Email: `${plain(i)}@example.com` })
    if (i % 2 === 0) await call('update_lead', { LeadID, FieldsToUpdate: { LastName: plain(i + 1), Status: plain(i % 7) } })
    if (i % 3 === 0) await call('add_notes_to_leads', { LeadID, Note: plain(i).repeat(20) })
    if (i % 10 !== 5) continue
    targets.push(...(await secrets(call, secret, i)))
  }
  return targets
}

async function secrets(call: Call, secret: () => string, i: number): Promise<{ RecordType: string; RecordID: string }[]> {
  const { LeadID } = await call('create_a_lead', { FirstName: secret(), LastName: secret(), Email: `${secret()}@example.com` })
  for (let times = 0; times < 3; times++) await call('update_lead', { LeadID, FieldsToUpdate: { LastName: secret(), Phone: secret(), Status: secret() } })
  await call('add_notes_to_leads', { LeadID, Note: secret() })
  await call('add_notes_to_leads', { LeadID, Note: secret() + 'x'.repeat(9_000) + secret() })
  if (i % 20 === 5) await call('delete_lead', { LeadID })

  const { CaseID } = await call('create_case', { Subject: secret(), Description: secret() + 'y'.repeat(5_000) + secret() })
  await call('add_comment', { CaseID, Comment: secret() })
  const { ObjectID } = await call('create_custom_object', { ObjectName: 'Part', Fields: { Name: { Type: 'String', Label: 'Name', Value: secret() } } })
  await call('update_custom_object', { ObjectID, FieldsToUpdate: { Name: secret() } })
  return [
    { RecordType: 'Lead', RecordID: String(LeadID) },
    { RecordType: 'Case', RecordID: String(CaseID) },
    { RecordType: 'CustomObject', RecordID: String(ObjectID) },
  ]
}
