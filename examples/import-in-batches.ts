/** Imports many leads: fast, safe to run twice, and with a reason for every refused line. */
import assert from 'node:assert/strict'
import { connect } from 'crm-connector'

const FILE = 'signups-2026-11-15'
const LINES = `Ada,Lovelace,ada@example.com
Grace,Hopper,grace@example.com
Alan,,alan@example.com
Katherine,Johnson,katherine@example.com
Edsger,Dijkstra,edsger-at-example`.split('\n')

/** Calls in a batch; up to 1000 are allowed. */
const TOGETHER = 2

const crm = connect({ baseUrl: process.env.CRM_URL ?? 'http://127.0.0.1:8484', key: process.env.CRM_KEY ?? '' })

async function bringIn() {
  const done = { stored: 0, known: 0, refused: [] as string[] }
  for (let first = 0; first < LINES.length; first += TOGETHER) {
    const Operations = LINES.slice(first, first + TOGETHER).map((line, at) => {
      const [FirstName, LastName, Email] = line.split(',')
      // The key says which line of which file it is: however often it is sent, the lead is stored once.
      return { Operation: 'create_a_lead', Input: { FirstName, LastName, Email }, Key: `${FILE}:${first + at + 1}` }
    })
    const { Results } = await crm.batch({ Operations })
    Results.forEach(({ Status, Replayed, Error: problem }, at) => {
      if (Status !== 200) done.refused.push(`Line ${first + at + 1}: ${problem?.detail}`)
      else if (Replayed) done.known++
      else done.stored++
    })
  }
  return done
}

const first = await bringIn()
console.log(first)
assert.equal(first.stored, 3)
assert.equal(first.refused.length, 2)
assert.match(first.refused[0] ?? '', /^Line 3: .*LastName/)

// The same file again stores nothing twice. Lines that were refused would be stored once they are mended.
assert.deepEqual(await bringIn(), { ...first, stored: 0, known: 3 })
