import assert from 'node:assert/strict'
import type { Event } from '../contract/records/event.ts'
import { behaviour, type Client, type Context, theme } from './behaviour.ts'
import { beginning, eventsSince } from './everything.ts'
import { ADA, phone, type Row } from './records.ts'

/** A lead that is created, changed and deleted by a caller, while others do so much in between. */
async function lifeOf(crm: Client, meanwhile: () => Promise<unknown>): Promise<string> {
  const { LeadID } = await crm.leads.create(ADA)
  await meanwhile()
  await crm.leads.update({ LeadID, FieldsToUpdate: { Phone: phone(1) } })
  await meanwhile()
  await crm.leads.delete({ LeadID })
  return LeadID
}

const isAbout = (id: string) => (one: { readonly RecordID: string | null }) => one.RecordID === id

/** All that a caller is told of a record, without times and revisions, which may be times too. Ids are replaced by their order, tokens by their length. */
async function told({ crm, context, id, cursor }: { crm: Client; context: Context; id: string; cursor: string }): Promise<unknown> {
  const refusals = await Promise.all(
    ['000000000001', '1', '999999'].map((After) => context.refused(crm.events.getMany({ After }), 'invalid_input', { field: 'After' })),
  )
  const all = await crm.events.getMany({ After: cursor, Limit: 1000 })
  const answers = {
    events: all.Events.filter(isAbout(id)),
    cursor: all.NextCursor,
    first: (await crm.events.getMany({ After: cursor, Limit: 1 })).NextCursor,
    changes: (await crm.changes.getMany({ Filters: { RecordID: id } })).Records.map(({ RequestID: _, IdempotencyKey: __, ...line }) => line),
    refusals: refusals.map(({ message, hint, errors }) => ({ message, hint, errors })),
  }
  const seen = new Map<string, number>()
  const order = (text: string) => seen.get(text) ?? seen.set(text, seen.size).size - 1
  return JSON.parse(
    JSON.stringify(answers)
      .replaceAll(JSON.stringify(id), '"the lead"')
      .replaceAll(/"Revision":\d+/g, '"Revision":0')
      .replaceAll(/\b(evt|cur)_[\w-]+/g, (token, prefix) => `${prefix} of ${token.length}`)
      .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*"/g, '"a time"')
      .replaceAll(/"[0-9a-z]{20}"/g, (text) => `"id ${order(text)}"`),
  )
}

/** Every cursor by which a caller can go on after the first of some events. */
const cursorsOf = async (crm: Client, cursor: string, first: Event): Promise<string[]> => [
  first.EventID,
  first.ChangeID,
  (await crm.events.getMany({ After: cursor, Limit: 1 })).NextCursor,
]

const idsOf = (events: readonly Event[]) => events.map(({ EventID }) => EventID)
const changesOf = (events: readonly Event[]) => events.map(({ ChangeID }) => ChangeID)

export const eventIds = theme('event ids', [
  behaviour('what a caller is told is the same however much others do', async (context) => {
    const [me, other] = [await context.as(), await context.as()]
    const runs: unknown[] = []
    for (const count of [0, 25]) {
      const { cursor } = await beginning(context)
      const Operations = Array.from({ length: count }, () => ({ Operation: 'create_a_lead', Input: ADA }))
      const id = await lifeOf(me.crm, async () => count > 0 && other.crm.batch({ Operations }))
      runs.push(await told({ crm: me.crm, context, id, cursor }))
    }
    assert.deepEqual(runs[1], runs[0])
  }),

  behaviour('an event has one id for all who do not see everything, and its number for admins', async (context) => {
    const boss = await context.as({ role: 'manager' })
    const me = await context.as({ manager: boss.userId })
    const since = await beginning(context)
    const id = await lifeOf(me.crm, async () => {})
    const read = async (crm: Client) => idsOf((await eventsSince(crm, since)).filter(isAbout(id)))
    const ids = await read(me.crm)
    assert.equal(new Set(ids).size, 3)
    assert.deepEqual([await read(me.crm), await read(boss.crm)], [ids, ids])
    for (const one of ids) assert.match(one, /^evt_[\w-]+$/)
    const lines = (await context.crm.changes.getMany({ Filters: { RecordID: id }, OrderBy: 'Number asc' })).Records
    assert.deepEqual(
      (await read(context.crm)).map(Number),
      lines.map(({ Number: number }) => number),
    )
  }),

  behaviour('a cursor does not show whether others have written since', async (context) => {
    const [me, other] = [await context.as(), await context.as()]
    const { cursor: After } = await beginning(context)
    const { LeadID } = await me.crm.leads.create(ADA)
    const { NextCursor: cursor } = await me.crm.events.getMany({ After, Limit: 1000 })
    const quiet = await me.crm.events.getMany({ After: cursor })
    await lifeOf(other.crm, async () => {})
    const busy = await me.crm.events.getMany({ After: cursor })
    const about = (page: { readonly Events: readonly Event[] }) => page.Events.filter(isAbout(LeadID))
    assert.deepEqual([about(quiet), about(busy)], [[], []])
    const [one, two] = [await me.crm.events.getMany({ Limit: 1 }), await me.crm.events.getMany({ Limit: 1 })]
    assert.deepEqual(one.Events, two.Events)
    assert.notEqual(one.NextCursor, two.NextCursor)
  }),

  behaviour('by every cursor, a caller goes on where it stands: nothing is missed or repeated', async (context) => {
    const me = await context.as({ scopes: ['read:Lead', 'read:Change', 'write:Lead', 'delete:Lead'] })
    const { cursor } = await beginning(context)
    const id = await lifeOf(me.crm, () => context.crm.leads.create(ADA))
    for (const crm of [me.crm, context.crm]) {
      const all = (await crm.events.getMany({ After: cursor })).Events
      const mine = changesOf(all.filter(isAbout(id)))
      for (const reader of [me.crm, context.crm]) {
        const cursors = await cursorsOf(crm, cursor, all[0] as Event)
        // A number is a cursor for those who are shown numbers.
        for (const After of crm === context.crm && reader !== crm ? [cursors[1]] : cursors) {
          const rest = (await reader.events.getMany({ After: After ?? null })).Events.filter(isAbout(id))
          assert.deepEqual(changesOf(rest), mine.slice(1))
        }
      }
    }
  }),

  behaviour('a number is no cursor for a caller who does not see everything, and the refusal does not tell the newest', async (context) => {
    const { crm, as, refused } = context
    const me = await as()
    await me.crm.leads.create(ADA)
    const { NextCursor: newest } = await crm.events.getMany({ Limit: 1000 })
    for (const After of [newest, String(Number(newest)), '1', '999999999999']) {
      const { message, hint = '', errors } = await refused(me.crm.events.getMany({ After }), 'invalid_input', { field: 'After' })
      assert.doesNotMatch(JSON.stringify([message, hint, errors]), /\d/)
    }
    // Everyone may begin with the oldest.
    const { Events } = await me.crm.events.getMany({ After: '0', Limit: 5 })
    assert.deepEqual(Events, (await me.crm.events.getMany({ Limit: 5 })).Events)
  }),

  behaviour('what was not given to callers of this workspace is no cursor', async (context) => {
    const { as, crm, other, refused } = context
    const me = await as()
    const [stranger, peer] = [await as({ by: other }), await as()]
    const { CampaignID } = await stranger.crm.campaigns.create({ CampaignName: context.unique('Fair') })
    const { LeadID } = await peer.crm.leads.create(ADA)
    const theirs = await stranger.crm.events.getMany({ Limit: 1000 })
    const [theirChange] = (await other.changes.getMany({ Filters: { RecordID: CampaignID } })).Records
    const [hidden] = (await crm.changes.getMany({ Filters: { RecordID: LeadID } })).Records
    const own = (await me.crm.events.getMany({ Limit: 1 })).Events[0]?.EventID ?? ''
    const wrong = [
      theirs.NextCursor,
      theirs.Events[0]?.EventID,
      theirChange?.ChangeID,
      `${own.slice(0, -2)}${own.endsWith('AA') ? 'BB' : 'AA'}`,
      own.replace('evt', 'cur'),
      own.slice(4),
      `${own}A`,
      'evt_',
      'cur_AAAAAAAAAAAAAAAAAAAAAA',
    ]
    for (const After of wrong)
      for (const reader of [me.crm, crm]) await refused(reader.events.getMany({ After: After ?? '' }), 'invalid_input', { field: 'After' })
    await refused(me.crm.events.getMany({ After: hidden?.ChangeID ?? '' }), 'invalid_input', { field: 'After' })
  }),

  behaviour('the numbers of changes are for admins', async ({ as, crm, refused }) => {
    const me = await as()
    const { LeadID } = await me.crm.leads.create(ADA)
    const Filters = { RecordID: LeadID }
    const numbers = async (reader: Client, input: Row) =>
      ((await reader.call('get_many_changes', { Filters, ...input })) as { Records: Row[] }).Records.map((line) => line.Number)
    for (const input of [{}, { Select: ['Number', 'At'] }]) {
      assert.deepEqual(await numbers(me.crm, input), [null])
      assert.equal(typeof (await numbers(crm, input))[0], 'number')
    }
    for (const filter of [1, null, { gt: 0 }])
      await refused(me.crm.call('get_many_changes', { Filters: { Number: filter } }), 'invalid_input', { field: 'Filters.Number', expected: 'At' })
    await refused(me.crm.call('get_many_changes', { OrderBy: 'Number desc' }), 'invalid_input', { field: 'OrderBy', expected: 'At' })
  }),
])
