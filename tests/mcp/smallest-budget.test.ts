import { expect, test } from 'vitest'
import { BUDGET } from '../../src/transports/mcp/option-arguments.ts'
import { tokensOf } from '../../src/transports/mcp/tokens.ts'
import { talkTo } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'

const CREATES: { readonly [tool: string]: object } = {
  create_a_lead: { FirstName: 'Ada', LastName: 'Lovelace', Email: 'ada@example.com', Description: 'Asked for a quote. '.repeat(50) },
  create_opportunity: { OpportunityName: 'Analytical engine', Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 12.5 },
  create_case: { Subject: 'Engine jams', Description: 'Again and again. '.repeat(50) },
  create_company: { CompanyName: 'Engines', Website: 'https://engines.example.com' },
  create_contact: { FirstName: 'Charles', LastName: 'Babbage', Email: 'charles@example.com' },
  create_campaign: { CampaignName: 'Autumn' },
  create_custom_object: { ObjectName: 'Boat', Fields: { Hull: { Type: 'String', Label: 'Hull', Value: 'Oak' } } },
}

test('a page of every list fits into the smallest budget, and its cursor goes on', async () => {
  const { url, key } = await serverForTest()
  const { call } = await talkTo(url, key)
  for (const [tool, input] of Object.entries(CREATES)) for (const _ of [1, 2, 3]) expect(await call(tool, input)).toMatchObject({ isError: false })
  const lists = ['leads', 'opportunities', 'cases', 'companies', 'contacts', 'campaigns', 'custom_objects', 'changes'].map((name) => `get_many_${name}`)
  for (const list of lists) {
    const first = await call(list, { Budget: BUDGET.min })
    expect({ list, ...first }).toMatchObject({ list, isError: false, says: { Records: [expect.anything()], LeftOut: expect.any(String) } })
    const { NextCursor: Cursor, Records } = first.says as { NextCursor: string; Records: object[] }
    const next = await call(list, { Budget: BUDGET.min, Cursor })
    expect({ list, ...next }).toMatchObject({ list, isError: false, says: { Records: [expect.anything()] } })
    expect((next.says as { Records: object[] }).Records).not.toEqual(Records)
  }
})

test('a refusal says what is wrong and what to do in the smallest budget, too', async () => {
  const { url, key } = await serverForTest()
  const { call } = await talkTo(url, key)
  const { LeadID } = (await call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })).says
  const wrongLevel = await call('update_lead', { LeadID, Status: 'Open', Budget: BUDGET.min })
  expect(wrongLevel).toMatchObject({ isError: true, says: { code: 'invalid_input', hint: expect.any(String) } })
  expect(JSON.stringify(wrongLevel.says)).toContain('FieldsToUpdate')
  const misspelt = await call('update_lead', { LeadID, FieldsToUpdate: { Statsu: 'Open' }, Budget: BUDGET.min })
  expect(misspelt.says.errors).toMatchObject([{ field: 'FieldsToUpdate.Statsu', didYouMean: 'Status' }])
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`Unknown${i}`, i]))
  const all = await call('update_lead', { LeadID, FieldsToUpdate: many, Budget: BUDGET.min })
  expect(all.says).toMatchObject({
    errors: expect.arrayContaining([expect.objectContaining({ field: 'FieldsToUpdate.Unknown0' })]),
    LeftOut: expect.any(String),
  })
})

test('what waits to be confirmed never exceeds a budget: one that is too small gets the smallest that is not', async () => {
  const { url, key } = await serverForTest()
  const { call } = await talkTo(url, key, { query: '?confirm=deletes' })
  const { LeadID } = (await call('create_a_lead', { ...CREATES.create_a_lead })).says
  const refused = await call('delete_lead', { LeadID, Budget: BUDGET.min })
  expect(refused).toMatchObject({ isError: true, says: { code: 'too_large', hint: expect.stringMatching(/^Call again with Budget: \d+\.$/) } })
  expect(JSON.stringify(refused)).not.toContain('ConfirmationToken')
  const Budget = Number(/\d+/.exec(refused.says.hint as string)?.[0])
  const { says, text } = await call('delete_lead', { LeadID, Budget })
  expect(says).toHaveProperty('ConfirmationToken')
  for (const part of [text, JSON.stringify(says)]) expect(tokensOf(part)).toBeLessThanOrEqual(Budget)
})

test('a small budget gets no token for deletes of which it does not show every record, or every field', async () => {
  const { url, key } = await serverForTest()
  const { call } = await talkTo(url, key, { query: '?confirm=deletes' })
  const made: { readonly [member: string]: unknown }[] = []
  for (const LastName of ['Lovelace', 'Byron', 'King']) made.push((await call('create_a_lead', { ...CREATES.create_a_lead, LastName })).says)
  const Operations = made.map(({ LeadID }) => ({ Operation: 'delete_lead', Input: { LeadID } }))
  for (const [tool, input, shown] of [
    ['batch', { Operations }, ['"Ada Lovelace"', '"Ada Byron"', '"Ada King"']],
    ['delete_lead', { LeadID: made[0]?.LeadID }, ['- FirstName: "Ada"', '- Email: "ada@example.com"', '- Description: "Asked']],
  ] as const) {
    let refusals = 0
    for (let Budget: number = BUDGET.min; Budget <= BUDGET.default; Budget += 50) {
      const { says, text, isError } = await call(tool, { ...input, Budget })
      if (!isError) for (const line of shown) expect(text).toContain(line)
      if (!isError) break
      refusals++
      expect(says).toMatchObject({ code: 'too_large', hint: expect.stringMatching(/^Call again with Budget: \d+\.$/) })
    }
    expect(refusals).toBeGreaterThan(0)
  }
})
