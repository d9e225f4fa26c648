/** Reacts to every new lead, and resumes where it stopped. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'crm-connector'

const crm = connect({ baseUrl: process.env.CRM_URL ?? 'http://127.0.0.1:8484', key: process.env.CRM_KEY ?? '' })
const place = join(await mkdtemp(join(tmpdir(), 'crm-')), 'last-event')
const welcomed: string[] = []

/** Follows until `count` leads were welcomed. A lost connection is restored automatically. */
async function welcome(count: number): Promise<void> {
  const after = await readFile(place, 'utf8').catch(() => '0')
  for await (const event of crm.events.follow({ after })) {
    // The type of an event determines the type of its record.
    if (event.Type === 'lead.created' && event.Record?.Phone === place) {
      welcomed.push(event.Record.FirstName)
      count--
    }
    // Kept after the work: whoever stops in between does it again rather than never.
    await writeFile(place, event.EventID)
    if (count === 0) break
  }
}

for (const FirstName of ['Ada', 'Grace']) await crm.leads.create({ FirstName, LastName: 'Example', Phone: place })
await welcome(2)
await crm.leads.create({ FirstName: 'Alan', LastName: 'Example', Phone: place })
await welcome(1)

assert.deepEqual(welcomed, ['Ada', 'Grace', 'Alan'])
console.log(`Welcome, ${welcomed.join(', ')}.`)
