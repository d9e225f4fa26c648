import { expect, onTestFinished, test } from 'vitest'
import { LIMITS } from '../../../../src/contract/limits.ts'
import type { Query, StoredRecord } from '../../../../src/platforms/platform.ts'
import { ALL_CRMS } from '../../../support/crms/all.ts'
import { openCrm } from '../../../support/crms.ts'

/** 96 kB in UTF-8. */
const LONG = '€'.repeat(LIMITS.longText)
const MANY = 60
const QUERY: Query = { where: [], order: { field: 'CreatedDate', descending: false }, limit: LIMITS.page }

test.each(ALL_CRMS)('%s: a page ends by its bytes, and the next one goes on where it ended', async (_, crm) => {
  const { platform, simulator } = await openCrm(crm)
  onTestFinished(async () => {
    await platform.close()
    await simulator.close()
  })
  for (let i = 0; i < MANY; i++)
    await platform.write(1, (writer) => writer.create('Case', { Subject: `Case ${i}`, Description: i === 0 ? null : LONG, Status: 'New' }))

  const pages: (readonly StoredRecord[])[] = []
  let after: Query['after']
  do {
    const { records, more } = await platform.reader(1).find('Case', { ...QUERY, ...(after && { after }) })
    const last = records.at(-1)
    pages.push(records)
    after = more && last ? { value: last.CreatedDate as string, id: last.CaseID as string } : undefined
  } while (after)
  expect(pages.length).toBe(2)
  for (const page of pages) expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(LIMITS.pageBytes * 1.1)
  expect(new Set(pages.flat().map(({ CaseID }) => CaseID)).size).toBe(MANY)
  expect(pages.flat()).toHaveLength(MANY)

  expect((await platform.reader(1).find('Case', { ...QUERY, limit: LIMITS.page + 1 })).records).toHaveLength(MANY)
  expect((await platform.reader(1).find('Case', { ...QUERY, fields: ['Subject'] })).records).toHaveLength(MANY)
})
