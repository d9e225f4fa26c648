/** The baseline of the import benchmark: node scripts/run.js bench/import-loop.ts FILE STORE ROWS [all]. Prints the seconds it took. */
import { createReadStream } from 'node:fs'
import { CsvReader } from '../src/files/reading/csv-reader.ts'
import { createClock } from '../src/platforms/stores/sql/ids.ts'
import { connect, sqliteDriver } from '../src/platforms/stores/sqlite/connection.ts'
import { openSqlite } from '../src/platforms/stores/sqlite/sqlite.ts'

const [file = '', path = '', size = '', which = ''] = process.argv.slice(2)
const insert = (table: string, columns: string) =>
  store.database.prepare(`INSERT INTO "${table}" (${columns.replace(/\w+/g, '"$&"')}) VALUES (${columns.replace(/\w+/g, '?')})`)

// The same tables and indexes, and the same durability.
await (await openSqlite(path)).close()
const store = connect(await sqliteDriver(), path, [
  'journal_mode = WAL',
  'synchronous = FULL',
  'secure_delete = ON',
  'cache_size = -32768',
  'wal_autocheckpoint = 4000',
])
const lead = insert('Lead', 'Workspace, LeadID, FirstName, LastName, Email, Phone, Status, OwnerID, CreatedDate, UpdatedDate, Revision')
const change = insert(
  'Change',
  'Workspace, Number, Seal, ChangeID, At, UserID, KeyID, Transport, Operation, RecordType, RecordID, RequestID, Outcome, EventType, IdempotencyKey, BeforeDigest, AfterDigest, Before, After, OwnerID, Salt',
)
const once = insert('Once', 'Number, Run, Hash, Workspace, UserID, Key, Fingerprint, At, State, Answer, ChangeID')

const [began, clock] = [performance.now(), createClock()]
const user = clock.newId().id
const [digest, salt] = ['x'.repeat(43), 'x'.repeat(16)]
const reader = new CsvReader(',')
let number = 0
let isHead = true

function add([first, last, email, phone]: readonly (string | undefined)[]): void {
  const { id, at } = clock.newId()
  if (number % Number(size) === 0) store.exec(number === 0 ? 'BEGIN IMMEDIATE' : 'COMMIT; BEGIN IMMEDIATE')
  number++
  lead.run(1, id, first ?? '', last ?? '', email ?? null, phone ?? null, 'Open', user, at, at, 1)
  if (which !== 'all') return
  const { id: changeId } = clock.newId()
  const after = `{"LeadID":"${id}","FirstName":"${first}","LastName":"${last}","Email":"${email}","Phone":"${phone}","Status":"Open","OwnerID":"${user}","CreatedDate":"${at}","UpdatedDate":"${at}","Revision":1}`
  const key = `import-${String(number).padStart(32, '0')}`
  change.run(
    1,
    number,
    digest,
    changeId,
    at,
    user,
    null,
    'cli',
    'create_a_lead',
    'Lead',
    id,
    null,
    'ok',
    'lead.created',
    key,
    null,
    digest,
    null,
    after,
    user,
    salt,
  )
  once.run(number, Math.floor(number / 2048), (number * 2_654_435_761) % 2 ** 48, 1, user, key, digest, at, 'done', null, changeId)
}

for await (const text of createReadStream(file, { encoding: 'utf8' }) as AsyncIterable<string>) {
  for (const { cells } of reader.read(text)) {
    if (!isHead) add(cells)
    isHead = false
  }
}
store.exec('COMMIT')
process.stdout.write(`${JSON.stringify({ Rows: number, Seconds: (performance.now() - began) / 1000 })}\n`)
store.close()
