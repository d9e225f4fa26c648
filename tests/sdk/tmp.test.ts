import { test, expect } from 'vitest'
import { serverForTest } from '/work/main/tests/support/server.ts'
import { connect } from '/work/main/src/transports/sdk/connect.ts'
import { clientOf } from '/work/main/src/contract/client.ts'
import { openLocal } from '/work/main/src/local.ts'
import { mkdtempSync } from 'node:fs'
test('http', async () => {
  const server = await serverForTest()
  const crm = connect({ baseUrl: server.url, key: server.key })
  const lead = await crm.leads.create({ FirstName: 'A', LastName: 'B' })
  const seen = []
  setTimeout(() => crm.leads.create({ FirstName: 'C', LastName: 'D' }), 500)
  for await (const e of crm.events.follow({ after: '0' })) { seen.push(e.Type); if (seen.length === 4) break }
  console.log(seen)
  const c = new AbortController()
  setTimeout(() => c.abort(), 200)
  await expect((async () => { for await (const e of crm.events.follow({ signal: c.signal })) console.log(e) })()).rejects.toThrow('abort')
  for await (const l of crm.leads.all({ Limit: 1 })) console.log(l.FirstName)
})
test('local', async () => {
  const crm = clientOf(await openLocal({ platform: `sqlite:${mkdtempSync('/tmp/x')}/crm.db` }))
  const seen = []
  setTimeout(() => crm.leads.create({ FirstName: 'C', LastName: 'D' }), 500)
  for await (const e of crm.events.follow({ after: '0' })) { seen.push(e.Type); if (e.Type === 'lead.created') break }
  console.log(seen)
  const c = new AbortController()
  setTimeout(() => c.abort(), 200)
  await expect((async () => { for await (const e of crm.events.follow({ signal: c.signal })) console.log(e) })()).rejects.toThrow('abort')
  await crm.close()
})
