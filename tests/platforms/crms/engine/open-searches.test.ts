import { describe, expect, test } from 'vitest'
import { OpenSearches } from '../../../../src/platforms/crms/engine/open-searches.ts'
import { RecordStream } from '../../../../src/platforms/crms/engine/record-stream.ts'
import type { Query } from '../../../../src/platforms/platform.ts'
import { ALL_CRMS } from '../../../support/crms/all.ts'
import { withMovedClock } from '../../../support/moved-clock.ts'

const NAMES = ['Ada', 'Bea', 'Cleo', 'Dora', 'Eve', 'Fay', 'Gwen', 'Hope', 'Iris', 'June']

describe.each(ALL_CRMS)('a search of %s that is open', (_name, kind) => {
  async function opened() {
    const { start, pass } = await withMovedClock(kind)
    const { crm } = await start()
    for (const LastName of NAMES) {
      await crm.leads.create({ FirstName: 'X', LastName })
      await pass(1)
    }
    await pass(60)
    const search = { OrderBy: 'CreatedDate asc', Limit: 2 } as const
    const { Records, NextCursor } = await crm.leads.getMany(search)
    const all = (await crm.leads.getMany({ ...search, Limit: 100 })).Records
    const ids = Object.fromEntries(all.map(({ LastName, LeadID }) => [LastName, LeadID])) as { readonly [name: string]: string }
    const rest = async () => {
      const names: string[] = []
      for (let Cursor = NextCursor; typeof Cursor === 'string'; ) {
        const page = await crm.leads.getMany({ ...search, Cursor })
        names.push(...page.Records.map(({ FirstName, LastName }) => `${FirstName} ${LastName}`))
        Cursor = page.NextCursor
      }
      return names
    }
    expect(Records.map(({ LastName }) => LastName)).toEqual(['Ada', 'Bea'])
    return { crm, ids, rest }
  }

  const others = NAMES.slice(4).map((name) => `X ${name}`)

  test('shows what was changed, and no longer what was deleted', async () => {
    const { crm, ids, rest } = await opened()
    await crm.leads.update({ LeadID: ids.Cleo as string, FieldsToUpdate: { FirstName: 'Y' } })
    await crm.leads.delete({ LeadID: ids.Dora as string })
    expect(await rest()).toEqual(['Y Cleo', ...others])
  })

  test('shows what was created, where it comes', async () => {
    const { crm, rest } = await opened()
    await crm.leads.create({ FirstName: 'X', LastName: 'Zoe' })
    expect(await rest()).toEqual(['X Cleo', 'X Dora', ...others, 'X Zoe'])
  })

  test('no longer shows what does not match since', async () => {
    const { crm, ids } = await opened()
    const search = { Filters: { FirstName: 'X' }, OrderBy: 'CreatedDate asc', Limit: 2 } as const
    const { NextCursor } = await crm.leads.getMany(search)
    await crm.leads.update({ LeadID: ids.Cleo as string, FieldsToUpdate: { FirstName: 'Y' } })
    const { Records } = await crm.leads.getMany({ ...search, Cursor: NextCursor as string })
    expect(Records.map(({ LastName }) => LastName)).toEqual(['Dora', 'Eve'])
  })
})

describe('open searches', () => {
  const ended = (): RecordStream => new RecordStream({ id: 'LeadID', sorts: () => 0, matches: () => true }, async function* () {})
  const query = (n: number): Query => ({ where: [], order: { field: 'LastName', descending: false }, after: { value: n, id: 'x' }, limit: 1 })

  test('are not taken from one caller because another opens many', () => {
    const searches = new OpenSearches()
    searches.keep('one', 'Lead', query(0), ended())
    for (let n = 0; n < 1_000; n++) searches.keep('other', 'Lead', query(n), ended())
    expect(searches.take('one', 'Lead', query(0))).toBeDefined()
    expect(searches.take('other', 'Lead', query(0))).toBeUndefined()
    expect(searches.take('other', 'Lead', query(999))).toBeDefined()
  })

  test('continue for the caller alone who has begun them', () => {
    const searches = new OpenSearches()
    searches.keep('one', 'Lead', query(0), ended())
    expect(searches.take('other', 'Lead', query(0))).toBeUndefined()
    expect(searches.take('one', 'Lead', query(0))).toBeDefined()
  })
})
