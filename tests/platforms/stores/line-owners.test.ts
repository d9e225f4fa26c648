import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { SHARED } from '../../../src/contract/records/change.ts'
import type { AuditLine, Store } from '../../../src/platforms/store.ts'
import { FEW } from '../../../src/platforms/stores/sql/query-plan.ts'
import { openSqlite } from '../../../src/platforms/stores/sqlite/sqlite.ts'
import { AUDIT_LINE } from '../../support/audit-line.ts'
import { ask } from '../../support/database.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { STORES } from '../../support/stores.ts'

const REFUSAL: AuditLine = { ...AUDIT_LINE, after: null, outcome: 'conflict', eventType: null, owner: null }

test('an owner change writes no line again', async () => {
  const path = join(await temporaryFolder(), 'crm.db')
  const store = await openSqlite(path)
  const { number } = (await store.addWorkspace('default')) as { number: number }
  await store.write(number, async (writer) => {
    for (const line of [AUDIT_LINE, AUDIT_LINE, { ...AUDIT_LINE, owner: 'second', moved: true }]) await writer.appendAuditLine(line)
  })
  await store.close()
  expect(await ask(path, 'SELECT "OwnerID" FROM "Change" ORDER BY "Number"')).toEqual([{ OwnerID: 'first' }, { OwnerID: 'first' }, { OwnerID: 'second' }])
})

describe.each(STORES)('lines of a record that is given to another user, on $platform', ({ open }) => {
  let store: Store
  let workspace: number
  beforeAll(async () => {
    store = await open()
    return () => store.close()
  })

  async function begin(): Promise<void> {
    workspace = (await store.addWorkspace(`w${Math.random()}`))?.number as number
  }

  const append = (...lines: readonly AuditLine[]) =>
    store.write(workspace, async (writer) => {
      const ids: string[] = []
      for (const line of lines) ids.push(await writer.appendAuditLine(line))
      return ids
    })

  /** The lines that an owner sees, by the pages and by the events. */
  async function seen(owner: string): Promise<{ changes: string[]; events: string[] }> {
    const changes: string[] = []
    for (let after: { value: string; id: string } | undefined; ; ) {
      const order = { field: 'At', descending: false }
      const { records, more } = await store.reader(workspace).find('Change', { where: [], owners: [owner, SHARED], order, limit: 400, ...(after && { after }) })
      changes.push(...records.map(({ ChangeID }) => ChangeID as string))
      const last = records.at(-1)
      if (!more || !last) break
      after = { value: last.At as string, id: last.ChangeID as string }
    }
    const { events } = await store.journal(workspace).events({ after: 0, limit: 5000, eventTypes: ['lead.updated'], owners: [owner, SHARED] })
    return { changes, events: events.map(({ changeId }) => changeId) }
  }

  test('are seen by its present owner alone, those from before and those that follow, and refusals by neither', async () => {
    await begin()
    const [own] = await append({ ...AUDIT_LINE, recordId: 'other' })
    const lines = await append(AUDIT_LINE, AUDIT_LINE, REFUSAL, { ...AUDIT_LINE, owner: 'second', moved: true }, { ...AUDIT_LINE, owner: 'second' })
    const visible = lines.filter((_, i) => i !== 2)
    expect(await seen('second')).toEqual({ changes: visible, events: visible })
    expect(await seen('first')).toEqual({ changes: [own], events: [own] })
    expect(await store.reader(workspace).get('Change', lines[0] as string)).toMatchObject({ OwnerID: 'second' })
    expect(await store.reader(workspace).get('Change', lines[2] as string)).toMatchObject({ OwnerID: null })

    const back = await append({ ...AUDIT_LINE, moved: true })
    expect((await seen('second')).changes).toEqual([])
    expect((await seen('first')).changes).toEqual([own, ...visible, ...back])
  })

  test('are found where the owners have many lines too', async () => {
    await begin()
    const mine = await append(...Array.from({ length: FEW }, (_, i) => ({ ...AUDIT_LINE, recordId: `mine-${i}`, owner: 'second' })))
    const lines = await append(AUDIT_LINE, AUDIT_LINE, { ...AUDIT_LINE, owner: 'second', moved: true })
    expect((await seen('second')).changes).toEqual([...mine, ...lines])
    expect((await seen('first')).changes).toEqual([])
  })

  test('are forgotten with their owner, and a record that comes again begins anew', async () => {
    await begin()
    await append(AUDIT_LINE, { ...AUDIT_LINE, owner: 'second', moved: true }, { ...AUDIT_LINE, recordId: 'later', owner: 'second' })
    const later = new Date(Date.now() + 60_000).toISOString()
    await store.journal(workspace).span()
    expect(await store.sweep({ keys: later, changes: later })).toBeGreaterThanOrEqual(3)
    const again = await append({ ...AUDIT_LINE, owner: 'third' })
    expect((await seen('third')).changes).toEqual(again)
    expect((await seen('second')).changes).toEqual([])
  })
})
