import assert from 'node:assert/strict'
import { OWN_KINDS, type OwnKind } from '../contract/records/own-field.ts'
import type { Context } from './behaviour.ts'
import { type Answer, companyOf, defined, describedField, found, get, lead, pagedBy, update } from './own-field-calls.ts'

/** Two values of each kind, the second one the greater. */
const VALUES: { readonly [kind in OwnKind]: readonly [unknown, unknown] } = {
  text: ['an apple', 'pears'],
  longText: [`${'a'.repeat(90)}1`, `${'a'.repeat(90)}2`],
  email: ['a@example.com', 'b@example.com'],
  phone: ['+44 1', '+44 2'],
  choice: ['East', 'West'],
  choices: [['North'], ['North', 'South']],
  number: [-0.12345678901234566, 2e10],
  integer: [3, 20],
  money: [0.1, 1999.99],
  date: ['2026-01-31', '2026-02-01'],
  timestamp: ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
  boolean: [false, true],
  json: [{ a: [1, null, { b: 'c' }] }, ['x']],
  reference: ['', ''],
}

export const KINDS = Object.keys(OWN_KINDS) as OwnKind[]
export const INDEXABLE: readonly OwnKind[] = KINDS.filter((kind) => kind !== 'json' && kind !== 'choices' && kind !== 'reference')

/** The leads whose value starts like the second one, but for its last character. */
const startingLike = (low: unknown, high: unknown, one: { readonly LeadID: string }, two: { readonly LeadID: string }) =>
  String(low).startsWith(String(high).slice(0, -1)) ? [one.LeadID, two.LeadID] : [two.LeadID]

export async function isLikeAnyOther(context: Context, Kind: OwnKind, Indexed: boolean): Promise<void> {
  const { crm, unique } = context
  const references = Kind === 'reference' ? [await companyOf(context), await companyOf(context)].sort() : undefined
  const [low, high] = references ?? VALUES[Kind]
  const name = await defined(context, { Kind, ...(Indexed && { Indexed }), ...(Kind === 'reference' && { RefersTo: 'Company' }) })
  const field = await describedField(crm, 'Lead', name)
  assert.deepEqual([field?.Type, field?.Own, field?.Writable, field?.Required], [OWN_KINDS[Kind], true, true, false])

  const LastName = unique('Lovelace')
  const [none, one, two] = [await lead(context, { LastName }), await lead(context, { LastName, [name]: low }), await lead(context, { LastName })]
  assert.deepEqual([none[name], one[name], two[name]], [null, low, null])
  const changed = await update(crm, two.LeadID, { [name]: high })
  assert.deepEqual([changed[name], changed.UpdatedFields], [high, [name]])
  for (const [{ LeadID }, value] of [[none, null] as const, [one, low] as const, [two, high] as const]) assert.deepEqual((await get(crm, LeadID))[name], value)

  const all = [none, one, two].map(({ LeadID }) => LeadID)
  const among = (Filters: Answer) => found(crm, { Filters: { LastName, ...Filters }, OrderBy: 'LeadID' })
  const Select = [name]
  const { Records } = (await crm.call('get_many_leads', { Filters: { LastName }, Select, OrderBy: 'LeadID' })) as { Records: Answer[] }
  assert.deepEqual(
    Records,
    all.map((LeadID, i) => ({ LeadID, [name]: [null, low, high][i] })),
  )
  if (Kind === 'json') return
  assert.deepEqual(await among({ [name]: null }), [none.LeadID])
  assert.deepEqual(await among({ [name]: { ne: null } }), [one.LeadID, two.LeadID])
  if (Kind === 'choices') return assert.deepEqual(await among({ [name]: { contains: 'South' } }), [two.LeadID])
  assert.deepEqual(await among({ [name]: low }), [one.LeadID])
  assert.deepEqual(await among({ not: { [name]: low } }), [none.LeadID, two.LeadID])
  assert.deepEqual(await among({ any: [{ [name]: high }, { [name]: null }] }), [none.LeadID, two.LeadID])
  if (Kind === 'boolean') return
  assert.deepEqual(await among({ [name]: { in: [high, low] } }), [one.LeadID, two.LeadID])
  if (field?.Operators.includes('gt')) assert.deepEqual(await among({ [name]: { gt: low } }), [two.LeadID])
  if (field?.Operators.includes('gte')) assert.deepEqual(await among({ [name]: { lte: low } }), [one.LeadID])
  if (field?.Operators.includes('startsWith'))
    assert.deepEqual(await among({ [name]: { startsWith: String(high).slice(0, -1) } }), startingLike(low, high, one, two))
  assert.deepEqual(await found(crm, { Filters: { LastName }, OrderBy: name }), all)
  assert.deepEqual(await found(crm, { Filters: { LastName }, OrderBy: `${name} desc` }), all.toReversed())
  assert.deepEqual(await pagedBy(crm, { LastName }, name), all)
  assert.deepEqual(await pagedBy(crm, { LastName }, `${name} desc`), all.toReversed())
}
