/** The store inside this program: no service, no network, one file. Does a dry run of a change, makes it, and undoes it. */
import assert from 'node:assert/strict'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'crm-connector'

const folder = await mkdtemp(join(tmpdir(), 'crm-'))
const crm = connect({ platform: `sqlite:${join(folder, 'crm.db')}` })

const ticket = await crm.cases.create({ Subject: 'Engine jams', Description: 'The third column sticks.' })
const close = { CaseID: ticket.CaseID, FieldsToUpdate: { Status: 'Closed' } }

const tried = await crm.cases.update(close, { dryRun: true })
assert.deepEqual(tried.Difference, { Status: { From: 'New', To: 'Closed' } })
assert.equal((await crm.cases.get({ CaseID: ticket.CaseID })).Status, 'New')

let ChangeID = ''
await crm.cases.update(close, {
  onOutcome: ({ changeId }) => {
    ChangeID = changeId ?? ''
  },
})
assert.equal((await crm.cases.getSummary()).Closed.Count, 1)

await crm.changes.undo({ ChangeID })
assert.equal((await crm.cases.get({ CaseID: ticket.CaseID })).Status, 'New')

// Who did what is kept, and what was taken back as well.
const { Records } = await crm.changes.getMany({ Filters: { RecordID: ticket.CaseID }, OrderBy: 'At' })
console.table(Records.map(({ Operation, Transport, At }) => ({ Operation, Transport, At })))
assert.deepEqual(
  Records.map(({ Operation }) => Operation),
  ['create_case', 'update_case', 'undo_change'],
)

await crm.close()
