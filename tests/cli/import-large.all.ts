import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf, crm } from '../support/crm.ts'
import { placeForFiles } from '../support/files.ts'
import { temporaryFolder } from '../support/folder.ts'
import { serverForTest } from '../support/server.ts'

const ROWS = 100_000

test('a hundred thousand rows are imported and exported in memory that does not grow with them', async () => {
  const cwd = await temporaryFolder()
  const lines = Array.from({ length: ROWS }, (_, i) => `First ${i % 7},Last ${i},${i % 5 === 0 ? '' : `p${i}@example.com`},${i % 50 === 0 ? 'Contacted' : ''}`)
  writeFileSync(join(cwd, 'leads.csv'), `FirstName,LastName,Email,Status\n${lines.join('\n')}\n`)
  // Far less than the rows themselves would take.
  const node = ['--max-old-space-size=80']
  // The import shows its mapping beside its answer.
  const { err, ...ran } = await crm(['import', 'leads.csv', '--yes'], { cwd, node })
  expect(answerOf({ ...ran, err: err.includes('crm:') ? err : '' })).toMatchObject({ Rows: ROWS, Created: ROWS, Rejected: 0 })
  for (const file of ['back.ndjson', 'back.xlsx'])
    expect(answerOf(await crm(['export', 'leads', '--to', file], { cwd, node }))).toMatchObject({ Records: ROWS })
})

test('rows that are large are sent in smaller batches', async () => {
  const server = await serverForTest()
  const place = await placeForFiles({ CRM_URL: server.url, CRM_KEY: server.key })
  const file = place.file('cases.csv', `Subject,Description\n${Array.from({ length: 700 }, (_, i) => `Case ${i},${'ü'.repeat(30_000)}`).join('\n')}\n`)
  expect(await place.answer(['import', file, '--yes'])).toMatchObject({ Created: 700, Rejected: 0 })
})
