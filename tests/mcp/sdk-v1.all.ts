import { join } from 'node:path'
import { expect, test } from 'vitest'
import { main } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { npmExec } from '../support/npm-exec.ts'
import { serverForTest } from '../support/server.ts'

const SDK = '@modelcontextprotocol/sdk@1.32.2'

test.each(['HTTP', 'stdio'])('the official client of the first generation calls, asks, reads, subscribes and follows over %s', async (how) => {
  const folder = await temporaryFolder()
  const { url, key } = await serverForTest()
  const given = JSON.stringify({ how, url, key, main, folder })
  const { code, out, err } = await npmExec(SDK, ['node', join(import.meta.dirname, 'sdk-v1.mjs'), given], folder)
  expect([code, err.replaceAll(/^npm warn.*\n/gm, '')]).toEqual([0, ''])
  expect(JSON.parse(out)).toEqual({
    version: 'crm-connector',
    tools: expect.any(Number),
    resource: 'Lovelace',
    questions: [expect.stringContaining('"Ada Lovelace"')],
    addresses: [true],
    told: ['lead.updated', 'lead.updated', 'lead.deleted'],
    reports: [
      [1, 2],
      [2, 2],
    ],
  })
})
