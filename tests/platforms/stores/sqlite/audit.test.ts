import { copyFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { localAdmin } from '../../../../src/core/access/authenticate.ts'
import { bootstrap } from '../../../../src/core/access/bootstrap.ts'
import { execute } from '../../../../src/core/call/execute.ts'
import { createService } from '../../../../src/core/service.ts'
import type { AuditReport } from '../../../../src/platforms/store.ts'
import { earlierLinkAfter, type Link, linkAfter, START, type Unsealed } from '../../../../src/platforms/stores/sql/chain.ts'
import { backupSqlite } from '../../../../src/platforms/stores/sqlite/backup.ts'
import { openSqlite } from '../../../../src/platforms/stores/sqlite/sqlite.ts'
import { crm } from '../../../support/crm.ts'
import { openDatabase } from '../../../support/database.ts'

const LINES = 12
/** More than are looked at in one go. */
const MANY = 2500
let folder: string
let sound: string
let long: string
let head: AuditReport['head']

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-audit-'))
  sound = join(folder, 'sound.db')
  long = join(folder, 'long.db')
  const path = join(folder, 'crm.db')
  const store = await openSqlite(path)
  const service = createService({ platform: store, store })
  await bootstrap(service)
  const caller = await localAdmin(service)
  const call = async (operation: string, input: object) => (await execute(service, { operation, input, caller })).result as { LeadID: string }
  for (let i = 0; i < LINES / 3; i++) {
    const { LeadID } = await call('create_a_lead', { FirstName: 'Ada', LastName: `number ${i}` })
    await call('update_lead', { LeadID, FieldsToUpdate: { Status: `status ${i}` } })
    await call('add_notes_to_leads', { LeadID, Note: `note ${i}` })
  }
  head = (await store.journal(1).verify()).head
  await backupSqlite(path, sound)
  await Promise.all(Array.from({ length: MANY - LINES }, () => call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })))
  await backupSqlite(path, long)
  await store.close()
})
afterAll(() => rm(folder, { recursive: true }))

let copies = 0
function copyOf(store: string): string {
  const copy = join(folder, `copy${++copies}.db`)
  copyFileSync(store, copy)
  return copy
}

async function tamper(path: string, sql: string): Promise<string> {
  const database = await openDatabase(path)
  database.exec(sql)
  database.close()
  return path
}

async function verify(path: string, expected?: AuditReport['head']): Promise<AuditReport> {
  const store = await openSqlite(path)
  try {
    return await store.journal(1).verify({ expected })
  } finally {
    await store.close()
  }
}

/** What is reported, as number and fault. */
const faultsAfter = async (sql: string, expected?: AuditReport['head']) => faultsIn(await verify(await tamper(copyOf(sound), sql), expected))
const faultsIn = ({ faults }: AuditReport) => faults.map(({ number, fault }) => [number, fault])
const alter = (column: string, value: string, number = 5) => `UPDATE "Change" SET "${column}" = ${value} WHERE "Number" = ${number}`
const KEPT = `"Workspace", "At", "UserID", "KeyID", "Transport", "Operation", "RecordType", "RecordID", "Before", "After", "RequestID", "Outcome", "EventType", "IdempotencyKey",
  "OwnerID", "Salt", "BeforeDigest", "AfterDigest", "Seal"`
const INSERTED = `INSERT INTO "Change" ("ChangeID", "Number", ${KEPT}) SELECT 'inserted', $, ${KEPT} FROM "Change" WHERE "Number" = 5`
const inserted = (number: number | string) => INSERTED.replace('$', String(number))
const ALTERED = 'This line has been altered.'

test('a chain that nobody touched has no fault', async () => {
  expect(await verify(sound)).toMatchObject({ lines: LINES, faults: [], unsealed: 0, released: 0, head: { number: LINES } })
  expect(await verify(sound, head)).toMatchObject({ faults: [] })
  expect(await verify(long, head)).toMatchObject({ lines: MANY, faults: [] })
})

describe('reported with its number is', () => {
  test.for(['ChangeID', 'At', 'UserID', 'KeyID', 'Transport', 'Operation', 'RecordType', 'RecordID', 'RequestID', 'Outcome', 'EventType', 'IdempotencyKey'])(
    'a line whose %s was altered',
    async (column) => expect(await faultsAfter(alter(column, "'another'"))).toEqual([[5, ALTERED]]),
  )

  test('a line that stands for more calls than it did', async () => expect(await faultsAfter(alter('Count', '2'))).toEqual([[5, ALTERED]]))

  test.for(['KeyID', 'RequestID', 'RecordID', 'IdempotencyKey', 'EventType'])('a line whose %s was taken away or made up', async (column) => {
    expect(await faultsAfter(alter(column, `iif("${column}" IS NULL, '', NULL)`))).toContainEqual([5, ALTERED])
  })

  test('a line whose seal was altered, and with it the next', async () => {
    expect(await faultsAfter(alter('Seal', "'another'"))).toEqual([
      [5, ALTERED],
      [6, ALTERED],
    ])
  })

  test('an image that was altered, even with its digest', async () => {
    expect(await faultsAfter(alter('After', `replace("After", 'status 1', 'status 2')`))).toEqual([[5, 'After has been altered.']])
    expect(await faultsAfter(alter('Before', `replace("Before", 'Open', 'Closed')`))).toEqual([[5, 'Before has been altered.']])
    expect(await faultsAfter(alter('AfterDigest', "'another'"))).toEqual([
      [5, ALTERED],
      [5, 'After has been altered.'],
    ])
    expect(await faultsAfter(alter('Salt', "'another'"))).toHaveLength(2)
  })

  test('an image that was taken away or made up, though nobody has erased it', async () => {
    expect(await faultsAfter(alter('After', 'NULL'))).toEqual([[5, 'After is missing, although the record was not erased.']])
    expect(await faultsAfter('UPDATE "Change" SET "Before" = NULL, "After" = NULL, "Salt" = NULL WHERE "Number" = 5')).toEqual([
      [5, 'Before is missing, although the record was not erased.'],
      [5, 'After is missing, although the record was not erased.'],
    ])
    expect(await faultsAfter(alter('Before', `"After"`, 4))).toEqual([[4, 'Before has been altered.']])
  })

  test('each of two lines that were swapped', async () => {
    const swapped = `UPDATE "Change" SET "Number" = CASE "Number" WHEN 5 THEN 6 ELSE 5 END WHERE "Number" IN (5, 6)`
    expect(await faultsAfter(swapped)).toEqual([
      [5, ALTERED],
      [6, ALTERED],
      [7, ALTERED],
    ])
  })

  test('a line that is missing, in the middle or at the beginning', async () => {
    expect(await faultsAfter('DELETE FROM "Change" WHERE "Number" = 5')).toEqual([[5, 'This line is missing.']])
    expect(await faultsAfter('DELETE FROM "Change" WHERE "Number" IN (5, 6, 7)')).toEqual([[5, '3 lines are missing from here on.']])
    expect(await faultsAfter('DELETE FROM "Change" WHERE "Number" = 1')).toEqual([[1, 'This line is missing.']])
  })

  test('a line after which others were moved up, to hide that one is missing', async () => {
    const hidden = 'DELETE FROM "Change" WHERE "Number" = 5; UPDATE "Change" SET "Number" = "Number" - 1 WHERE "Number" > 5'
    expect((await faultsAfter(hidden))[0]).toEqual([5, ALTERED])
  })

  test('a line that was inserted, wherever it was put', async () => {
    expect(await faultsAfter(inserted(5))).toEqual([[5, 'There are two lines with this number.']])
    expect(await faultsAfter(inserted(LINES + 1))).toEqual([[LINES + 1, ALTERED]])
    expect((await faultsAfter(inserted(LINES + 3)))[0]).toEqual([LINES + 1, '2 lines are missing from here on.'])
    for (const number of [0, -1]) expect(await faultsAfter(inserted(number))).toEqual([[number, 'This line is before the beginning of the chain.']])
  })

  test('a second line with a number, also where one look ends and the next begins', async () => {
    for (const number of [999, 1000, 1001, 2000]) {
      const path = await tamper(copyOf(long), inserted(number))
      expect(faultsIn(await verify(path))).toContainEqual([number, 'There are two lines with this number.'])
    }
  })
})

test('lines that are let go while the chain is looked through are not missed', async () => {
  const path = copyOf(long)
  const store = await openSqlite(path)
  const database = await openDatabase(path)
  const letGo = 'INSERT INTO "Chain" SELECT "Workspace", "Number", "Seal" FROM "Change" WHERE "Number" = 2000; DELETE FROM "Change" WHERE "Number" <= 2000'
  let looks = 0
  const report = await store.journal(1).verify({ progress: () => looks++ === 0 && database.exec(letGo) })
  expect(report).toMatchObject({ faults: [], released: 2000, head: { number: MANY } })
  database.close()
  await store.close()
})

test('lines without a place are counted, and none can be there by itself', async () => {
  expect(await verify(await tamper(copyOf(sound), inserted('NULL')))).toMatchObject({
    unsealed: 1,
    faults: [{ number: LINES + 1, changeId: null, fault: 'A line has lost its number.' }],
  })
})

describe('only a head that was written down elsewhere shows', () => {
  test('that the last lines are missing', async () => {
    const shortened = await tamper(copyOf(sound), `DELETE FROM "Change" WHERE "Number" > ${LINES - 3}`)
    expect((await verify(shortened)).faults).toEqual([])
    expect(faultsIn(await verify(shortened, head))).toEqual([[LINES - 2, `The chain ends here, and once went on to ${LINES}.`]])
  })

  test('that the whole chain was written anew', async () => {
    const path = await tamper(copyOf(sound), alter('RequestID', "'another'"))
    await writeAnew(path)
    expect((await verify(path)).faults).toEqual([])
    expect(faultsIn(await verify(path, head))).toEqual([[LINES, expect.stringMatching(/rewritten/)]])
  })

  test('that another beginning was put in the place of lines that were let go', async () => {
    const path = await tamper(copyOf(sound), `DELETE FROM "Change"; INSERT INTO "Chain" VALUES (1, ${LINES}, 'another')`)
    expect(await verify(path)).toMatchObject({ released: LINES, faults: [] })
    expect(faultsIn(await verify(path, head))).toEqual([[LINES, expect.stringMatching(/rewritten/)]])
  })
})

const asNow = (before: Link, line: Unsealed) => linkAfter(before, line, 1)

/** Seals every line as if nothing had been altered. */
async function writeAnew(path: string, link: (before: Link, line: Unsealed) => Link = asNow): Promise<void> {
  const database = await openDatabase(path)
  let last: Link = START
  for (const row of database.all('SELECT * FROM "Change" ORDER BY "Number"', []) as Record<string, string>[]) {
    const line = Object.fromEntries(Object.entries(row).map(([name, value]) => [name[0]?.toLowerCase() + name.slice(1).replace('ID', 'Id'), value]))
    last = link(last, line as unknown as Unsealed)
    database.run('UPDATE "Change" SET "Seal" = ? WHERE "Number" = ?', [last.seal, last.number])
  }
  database.close()
}

const OTHER = `INSERT INTO "Workspace" ("Workspace", "WorkspaceID", "Name", "State", "Number", "CreatedDate", "UpdatedDate", "Revision") VALUES (1, 'w', 'other', 'active', 2, '', '', 1)`

describe('a seal covers the workspace:', () => {
  const MOVED = `${OTHER}; UPDATE "Change" SET "Workspace" = 2`

  test('lines that were moved to another one do not verify, and the empty audit beside the records does not either', async () => {
    const store = await openSqlite(await tamper(copyOf(sound), MOVED))
    expect(faultsIn(await store.journal(2).verify())).toEqual(Array.from({ length: LINES }, (_, i) => [i + 1, ALTERED]))
    expect(faultsIn(await store.journal(1).verify())).toEqual([[1, 'The audit is empty, although the workspace has records.']])
    await store.close()
  })

  test('a chain that was sealed without it verifies, and so does one that went on with it', async () => {
    const path = copyOf(sound)
    await writeAnew(path, earlierLinkAfter)
    expect((await verify(path)).faults).toEqual([])
    await writeAnew(path, (before, line) => (before.number < 6 ? earlierLinkAfter(before, line) : asNow(before, line)))
    expect((await verify(path)).faults).toEqual([])
  })

  test('once a line was sealed with it, one without it does not verify', async () => {
    const path = copyOf(sound)
    await writeAnew(path, (before, line) => (before.number === 6 ? earlierLinkAfter(before, line) : asNow(before, line)))
    expect(faultsIn(await verify(path))).toEqual([[7, ALTERED]])
  })
})

test('an audit without lines verifies where there are no records, or where age has removed the lines', async () => {
  const store = await openSqlite(await tamper(copyOf(sound), OTHER))
  expect((await store.journal(2).verify()).faults).toEqual([])
  await store.close()
  expect(await faultsAfter('DELETE FROM "Change"')).toEqual([[1, 'The audit is empty, although the workspace has records.']])
  expect(await faultsAfter(`INSERT INTO "Chain" SELECT 1, "Number", "Seal" FROM "Change" WHERE "Number" = ${LINES}; DELETE FROM "Change"`)).toEqual([])
})

describe('after a record was erased', () => {
  async function erased(): Promise<string> {
    const path = copyOf(sound)
    const store = await openSqlite(path)
    const service = createService({ platform: store, store })
    const caller = await localAdmin(service)
    const { result } = await execute(service, { operation: 'get_many_leads', input: { Filters: { LastName: 'number 1' } }, caller })
    const [lead] = (result as { Records: { LeadID: string }[] }).Records
    const answer = await execute(service, { operation: 'erase_record', input: { RecordType: 'Lead', RecordID: lead?.LeadID }, caller })
    expect(answer.result).toMatchObject({ Erased: true, Changes: 3 })
    await store.close()
    return path
  }

  test('its images are gone, and that is no fault', async () => {
    expect(await verify(await erased(), head)).toMatchObject({ lines: LINES + 1, faults: [] })
  })

  test('another image that is gone still is one', async () => {
    const path = await tamper(await erased(), 'UPDATE "Change" SET "Before" = NULL, "After" = NULL, "Salt" = NULL WHERE "Number" = 7')
    expect(faultsIn(await verify(path))).toEqual([[7, 'After is missing, although the record was not erased.']])
  })

  test('an image put back in its place is one too', async () => {
    expect(faultsIn(await verify(await tamper(await erased(), alter('After', `'{"made":"up"}'`))))).toEqual([[5, 'After has been altered.']])
  })

  test('so is a line that says the record was erased, and was made up', async () => {
    const path = await tamper(
      copyOf(sound),
      `UPDATE "Change" SET "Before" = NULL, "After" = NULL, "Salt" = NULL WHERE "Number" IN (4, 5, 6);
      ${inserted(LINES + 1)}; UPDATE "Change" SET "Operation" = 'erase_record' WHERE "Number" = ${LINES + 1}`,
    )
    expect(faultsIn(await verify(path))).toContainEqual([LINES + 1, ALTERED])
  })
})

test('crm audit verify prints every fault, and ends as a conflict', async () => {
  const path = await tamper(copyOf(sound), alter('At', "'2020-01-01T00:00:00.000Z'"))
  const run = (...words: string[]) => crm(['audit', 'verify', '--platform', `sqlite:${path}`, ...words], { cwd: folder })
  const { code, out } = await run('--workspace', 'default', '--head', `${head.number}:${head.seal}`)
  expect(code).toBe(5)
  expect(JSON.parse(out)).toMatchObject({ Workspaces: [{ Workspace: 'default', Verified: false, Lines: LINES, Faults: [{ Number: 5, Fault: ALTERED }] }] })
})
