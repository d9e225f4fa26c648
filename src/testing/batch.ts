import assert from 'node:assert/strict'
import type { Batch, BatchAnswer } from '../contract/batch.ts'
import { ERRORS } from '../contract/errors.ts'
import { LIMITS } from '../contract/limits.ts'
import { type Behaviour, behaviour, type Context, theme } from './behaviour.ts'
import { beginning, everything } from './everything.ts'
import { ADA, GRACE, JAM, NO_REVISION, phone, type Row } from './records.ts'
import { lastChange } from './writes.ts'

const lead = (FirstName: string) => ({ Operation: 'create_a_lead', Input: { FirstName, LastName: 'Lovelace' } })
const BAD = { Operation: 'create_a_lead', Input: { FirstName: 'Ada' } }

const statuses = ({ Results }: BatchAnswer) => Results.map(({ Status }) => Status)
const codes = ({ Results }: BatchAnswer) => Results.map(({ Error: problem }) => (problem as Row | undefined)?.code ?? 'ok')
const results = ({ Results }: BatchAnswer) => Results.map(({ Result }) => Result as Row)
const names = async (crm: Context['crm']) => (await crm.leads.getMany({})).Records.map(({ FirstName }) => FirstName).sort()

/** One after the other, and all or nothing where the platform can. */
const waysOf = ({ lacks }: Context): readonly boolean[] => (lacks('atomic') ? [false] : [false, true])

const linesIn = (seen: unknown) => (seen as { Records: Row[] }).Records

/** Order is only guaranteed for a batch that is sent once, so a behaviour that fails after a resend is restarted. */
const sentOnce = (title: string, run: Behaviour['run']) => behaviour(title, run, { sentOnce: true })

export const batch = theme('batch', [
  sentOnce('calls are executed and answered in order', async ({ crm, as }) => {
    const me = await as()
    const wanted = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const answer = await me.crm.batch({ Operations: wanted.map(lead) })
    assert.deepEqual(statuses(answer), Array(7).fill(200))
    assert.deepEqual(
      results(answer).map(({ FirstName }) => FirstName),
      wanted,
    )
    assert.deepEqual(await names(me.crm), wanted)
    const lines = (await crm.changes.getMany({ Filters: { UserID: me.userId }, OrderBy: 'Number asc' })).Records
    assert.deepEqual(
      lines.map(({ ChangeID, RecordID }) => [ChangeID, RecordID]),
      answer.Results.map(({ ChangeID, Result }) => [ChangeID, (Result as Row).LeadID]),
    )
  }),

  sentOnce('each call is answered as it would be by itself', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    const Operations = [
      { Operation: 'Get Leads', Input: { LeadID } },
      BAD,
      { Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Phone: phone(1) }, IfRevision: NO_REVISION } },
      { Operation: 'get_case', Input: { CaseID: 'nothing' } },
      { Operation: 'nonsense' },
      { Operation: 'get_current_user' },
      { Operation: 'delete_lead', Input: { LeadID } },
    ]
    const answer = await crm.batch({ Operations })
    assert.deepEqual(codes(answer), ['ok', 'invalid_input', 'conflict', 'not_found', 'not_found', 'ok', 'ok'])
    assert.deepEqual(statuses(answer), [200, 400, 409, 404, 404, 200, 200])
    for (const [i, { Error: problem }] of answer.Results.entries()) {
      if (problem === undefined) continue
      const { code, detail, errors, hint, status, retryable } = problem
      if (i === 2) continue
      const { Operation = '', Input } = Operations[i] ?? {}
      const error = await refused(crm.call(Operation, Input), code)
      assert.deepEqual([detail, errors, hint, status, retryable], [error.message, error.errors, error.hint, ERRORS[error.code].status, error.retryable])
    }
    const forbidden = await (await context.as({ scopes: ['read'] })).crm.batch({ Operations: [lead('x'), { Operation: 'get_many_leads' }] })
    assert.deepEqual(codes(forbidden), ['forbidden', 'ok'])
  }),

  sentOnce('a read sees all writes before it, and none after', async ({ as }) => {
    const { crm } = await as()
    const list = { Operation: 'get_many_leads', Input: {} }
    const answer = results(await crm.batch({ Operations: [list, lead('a'), lead('b'), list, lead('c'), list] }))
    assert.deepEqual(
      [0, 3, 5].map((i) => (answer[i] as { Records: Row[] }).Records.length),
      [0, 2, 3],
    )
  }),

  sentOnce('a write builds on those before it', async ({ crm, lacks }) => {
    const { LeadID } = await crm.leads.create(ADA)
    const update = (Phone: string, guard: object = {}) => ({ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Phone }, ...guard } })
    for (const Atomic of [false, true]) {
      const { Phone: before, Revision: IfRevision } = await crm.leads.get({ LeadID })
      const late = await crm.batch({ Operations: [update(phone(1), { IfRevision }), update(phone(2)), update(phone(3), { IfRevision })], Atomic })
      const held = Atomic && lacks('atomic')
      assert.deepEqual(codes(late), held ? Array(3).fill('unsupported') : Atomic ? Array(3).fill('conflict') : ['ok', 'ok', 'conflict'])
      const { Phone, Revision: now } = await crm.leads.get({ LeadID })
      assert.equal(Phone, Atomic ? before : phone(2))
      const answer = await crm.batch({ Operations: [update(phone(4), { IfRevision: now }), update(phone(5))], Atomic })
      assert.deepEqual(codes(answer), Array(2).fill(held ? 'unsupported' : 'ok'))
      assert.equal((await crm.leads.get({ LeadID })).Phone, phone(5))
    }
  }),

  sentOnce('a key on the batch gives each call its own, by its place', async ({ crm, as, unique, refused }) => {
    const me = await as()
    const idempotencyKey = unique('key')
    const Operations = [lead('a'), lead('b'), BAD, { Operation: 'get_current_user' }]
    const first = await me.crm.batch({ Operations }, { idempotencyKey })
    const again = await me.crm.batch({ Operations }, { idempotencyKey })
    assert.deepEqual(results(again).slice(0, 2), results(first).slice(0, 2))
    assert.deepEqual(
      [first, again].map(({ Results }) => Results.map(({ Replayed }) => Replayed)),
      [
        [undefined, undefined, undefined, undefined],
        [true, true, undefined, undefined],
      ],
    )
    assert.deepEqual(
      again.Results.map(({ ChangeID }) => ChangeID),
      first.Results.map(({ ChangeID }) => ChangeID),
    )
    assert.deepEqual(await names(me.crm), ['a', 'b'])
    assert.equal((await me.crm.leads.create(lead('b').Input, { idempotencyKey: `${idempotencyKey}#1` })).LeadID, results(first)[1]?.LeadID)
    await refused(me.crm.leads.create(lead('x').Input, { idempotencyKey: `${idempotencyKey}#0` }), 'conflict')
    const turned = await me.crm.batch({ Operations: [lead('b'), lead('a')] }, { idempotencyKey })
    assert.deepEqual(codes(turned), ['conflict', 'conflict'])
    const lines = (await crm.changes.getMany({ Filters: { UserID: me.userId, Outcome: 'ok' }, OrderBy: 'Number asc' })).Records
    assert.deepEqual(
      lines.map(({ IdempotencyKey }) => IdempotencyKey),
      [`${idempotencyKey}#0`, `${idempotencyKey}#1`],
    )
  }),

  behaviour('a call may have a key of its own, alone or in any batch', async ({ as, unique }) => {
    const { crm } = await as()
    const [one, two] = [unique('key'), unique('key')]
    const first = await crm.batch({ Operations: [{ ...lead('a'), Key: one }, lead('b')] }, { idempotencyKey: two })
    const moved = await crm.batch({ Operations: [lead('c'), { ...lead('a'), Key: one }] })
    assert.deepEqual([moved.Results[1]?.Result, moved.Results[1]?.Replayed], [first.Results[0]?.Result, true])
    assert.deepEqual(await crm.leads.create(lead('a').Input, { idempotencyKey: one }), first.Results[0]?.Result)
    assert.deepEqual(await crm.leads.create(lead('b').Input, { idempotencyKey: `${two}#1` }), first.Results[1]?.Result)
    assert.deepEqual(await names(crm), ['a', 'b', 'c'])
  }),

  behaviour(
    'an atomic batch is executed as a whole',
    async ({ crm, as, unique }) => {
      const me = await as()
      const options = { idempotencyKey: unique('key') }
      const Operations = [lead('a'), { Operation: 'create_case', Input: JAM }, lead('b')]
      const first = await me.crm.batch({ Operations, Atomic: true }, options)
      assert.deepEqual(codes(first), ['ok', 'ok', 'ok'])
      assert.deepEqual(await names(me.crm), ['a', 'b'])
      assert.equal((await crm.changes.getMany({ Filters: { UserID: me.userId } })).Records.length, 3)
      const again = await me.crm.batch({ Operations, Atomic: true }, options)
      assert.deepEqual(
        again.Results,
        first.Results.map((result) => ({ ...result, Replayed: true })),
      )
      assert.equal((await crm.changes.getMany({ Filters: { UserID: me.userId } })).Records.length, 3)
    },
    { needs: 'atomic' },
  ),

  behaviour(
    'an atomic batch with one fault, found early or late, leaves nothing but the refusal',
    async (context) => {
      const { crm, as, unique } = context
      const me = await as()
      const mine = await me.crm.leads.create(ADA)
      const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
      const { LeadID } = mine
      const faults = [
        [BAD, 'invalid_input'],
        [{ Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Phone: phone(2) }, IfRevision: mine.Revision } }, 'conflict'],
        [{ Operation: 'delete_lead', Input: { LeadID: 'nothing' } }, 'not_found'],
        [{ Operation: 'remove_leads_from_campaign', Input: { LeadID, CampaignID } }, 'not_found'],
        [{ Operation: 'create_key' }, 'forbidden'],
      ] as const
      const since = await beginning(context)
      for (const [fault, code] of faults) {
        const before = await everything(crm, since)
        const options = { idempotencyKey: unique('key') }
        const update = { Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Phone: phone(1) } } }
        const note = { Operation: 'add_notes_to_leads', Input: { LeadID, Note: 'x' } }
        const Operations = [lead('a'), update, note, { Operation: 'create_case', Input: JAM }, fault, lead('b')]
        const answer = await me.crm.batch({ Operations, Atomic: true }, options)
        assert.deepEqual(codes(answer), ['conflict', 'conflict', 'conflict', 'conflict', code, 'conflict'])
        const { get_many_changes: lines, ...after } = await everything(crm, since)
        const { get_many_changes: earlier, ...was } = before
        assert.deepEqual(after, was)
        assert.deepEqual(
          linesIn(lines)
            .slice(0, linesIn(lines).length - linesIn(earlier).length)
            .map(({ Operation, Outcome }) => [Operation, Outcome]),
          [[fault.Operation, code]],
        )
        const retried = await me.crm.batch({ Operations: [lead('a')], Atomic: true }, options)
        assert.deepEqual([codes(retried), retried.Results[0]?.Replayed], [['ok'], undefined])
      }
    },
    { needs: 'atomic' },
  ),

  behaviour(
    'an atomic batch says which call was refused, and everything that is wrong with any of them',
    async ({ as }) => {
      const { crm } = await as()
      const answer = await crm.batch({ Operations: [lead('a'), BAD, { Operation: 'nonsense' }, lead('b')], Atomic: true })
      assert.deepEqual(codes(answer), ['conflict', 'invalid_input', 'not_found', 'conflict'])
      assert.match(String((answer.Results[0]?.Error as Row | undefined)?.detail), /\b1\b/)
      assert.deepEqual(await names(crm), [])
    },
    { needs: 'atomic' },
  ),

  behaviour(
    'an atomic batch takes only writes',
    async ({ as }) => {
      const { crm } = await as()
      const answer = await crm.batch({ Operations: [lead('a'), { Operation: 'get_many_leads' }], Atomic: true })
      assert.deepEqual(codes(answer), ['conflict', 'unsupported'])
      assert.deepEqual(await names(crm), [])
    },
    { needs: 'atomic' },
  ),

  behaviour('a dry run of a batch writes nothing and says what each call would write', async (context) => {
    const { crm, as, unique } = context
    const me = await as()
    const { LeadID, Revision } = await me.crm.leads.create(ADA)
    const since = await beginning(context)
    const before = await everything(crm, since)
    const options = { dryRun: true, idempotencyKey: unique('key') }
    const update = { Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Phone: phone(1) } } }
    for (const Atomic of waysOf(context)) {
      const [made, changed] = results(await me.crm.batch({ Operations: [lead('a'), update], Atomic }, options)) as [Row, Row]
      assert.deepEqual([made.DryRun, (made.WouldWrite as Row).FirstName, (made.WouldWrite as Row).LeadID], [true, 'a', null])
      assert.deepEqual(changed.Difference, { Phone: { From: ADA.Phone, To: phone(1) } })
      const refused = await me.crm.batch({ Operations: [lead('a'), BAD], Atomic }, options)
      assert.deepEqual(codes(refused), [Atomic ? 'conflict' : 'ok', 'invalid_input'])
    }
    const late = { Operation: 'update_lead', Input: { LeadID, FieldsToUpdate: { Phone: phone(2) }, IfRevision: Revision } }
    const Atomic = !context.lacks('atomic')
    assert.deepEqual(codes(await me.crm.batch({ Operations: [update, late], Atomic }, options)), [Atomic ? 'conflict' : 'ok', 'conflict'])
    assert.deepEqual(await everything(crm, since), before)
    assert.deepEqual(codes(await me.crm.batch({ Operations: [lead('a')] }, { idempotencyKey: options.idempotencyKey })), ['ok'])
  }),

  sentOnce('a dry run of a batch is refused where the batch is: each call counts on those before it', async (context) => {
    const { crm, unique } = context
    const { LeadID } = await crm.leads.create(ADA)
    const { CampaignID } = await crm.campaigns.create({ CampaignName: unique('Fair') })
    const membership = { LeadID, CampaignID }
    const boat = (ObjectName: string, Masts: Row) => ({ Operation: 'create_custom_object', Input: { ObjectName, Fields: { Masts } } })
    const [first, second, third] = [unique('Boat'), unique('Boat'), unique('Boat')]
    const NUMBER = { Type: 'Number', Label: 'Masts' }
    const attempts: readonly Batch['Operations'][] = [
      [boat(first, NUMBER), boat(first, { ...NUMBER, Type: 'String' })],
      [boat(second, NUMBER), boat(second, { Value: 2 })],
      [boat(third, { Value: 2 }), boat(third, NUMBER)],
      [
        { Operation: 'add_leads_to_campaign', Input: membership },
        { Operation: 'remove_leads_from_campaign', Input: membership },
        { Operation: 'remove_leads_from_campaign', Input: membership },
      ],
      [
        { Operation: 'delete_lead', Input: { LeadID } },
        { Operation: 'add_notes_to_leads', Input: { LeadID, Note: 'x' } },
      ],
    ]
    for (const Operations of attempts) {
      for (const Atomic of [true, false]) {
        const foretold = codes(await crm.batch({ Operations, Atomic }, { dryRun: true }))
        assert.deepEqual(foretold, codes(await crm.batch({ Operations, Atomic })), JSON.stringify([Operations, Atomic]))
      }
    }
  }),

  sentOnce('a dry run of a batch knows what an undo or an erasure before it would have left', async (context) => {
    const { crm } = context
    for (const Atomic of waysOf(context)) {
      for (const [first, second, Status] of [
        [{ Operation: 'add_notes_to_leads', Input: { Note: 'x' } }, 'undo_change', 409],
        [{ Operation: 'update_lead', Input: { FieldsToUpdate: { Phone: phone(1) } } }, 'undo_change', 409],
        [{ Operation: 'delete_lead', Input: {} }, 'undo_change', 409],
        ...(context.lacks('erase') ? [] : [[{ Operation: 'erase_record', Input: { RecordType: 'Lead' } }, 'update_lead', 404] as const]),
      ] as const) {
        const { LeadID } = await crm.leads.create(ADA)
        const { ChangeID } = await lastChange(context, LeadID)
        const named = first.Operation === 'erase_record' ? { RecordID: LeadID } : { LeadID }
        const then = second === 'undo_change' ? { ChangeID } : { LeadID, FieldsToUpdate: { Phone: phone(2) } }
        const Operations = [
          { Operation: first.Operation, Input: { ...first.Input, ...named } },
          { Operation: second, Input: then },
        ]
        for (const dryRun of [true, false]) {
          const { Results } = await crm.batch({ Operations, Atomic }, { dryRun })
          assert.equal(Results[1]?.Status, Status, `${first.Operation}, ${second}, ${dryRun ? 'tried' : 'done'}`)
        }
      }
    }
  }),

  behaviour('what would make the answer of a batch too large is left out', async ({ as }) => {
    const { crm } = await as()
    const text = 'x'.repeat(32_000)
    const drafts = Array.from({ length: 100 }, () => ({ Operation: 'create_case', Input: { Subject: 'Long', Description: text } }))
    await crm.batch({ Operations: drafts })
    const read = { Operation: 'get_many_cases', Input: {} }
    const { Results } = await crm.batch({ Operations: [...Array(8).fill(read), drafts[0] as (typeof drafts)[0]] })
    const statuses = Results.map(({ Status }) => Status)
    assert.deepEqual(statuses.slice(0, 5), [200, 200, 200, 200, 200])
    assert.deepEqual(statuses.slice(6), [413, 413, 200])
    assert.equal((Results[7]?.Error as { code: string } | undefined)?.code, 'too_large')
    assert.ok(Results[8]?.ChangeID)
  }),

  behaviour('a key that comes twice in a batch stands for one call', async (context) => {
    const { as, unique } = context
    const { crm } = await as()
    const ways = waysOf(context)
    for (const Atomic of ways) {
      const Key = unique('key')
      const same = { ...lead('a'), Key }
      const { Results } = await crm.batch({ Operations: [same, lead('b'), same], Atomic })
      assert.deepEqual([Results[2]?.Result, Results[2]?.Replayed], [Results[0]?.Result, true])
      const other = { ...lead('c'), Key }
      assert.deepEqual(codes(await crm.batch({ Operations: [same, other], Atomic })), [Atomic ? 'conflict' : 'ok', 'conflict'])
    }
    assert.deepEqual(await names(crm), ways.flatMap(() => ['a', 'b']).sort())
  }),

  behaviour('as many calls as the limit allows are executed', async ({ as }) => {
    const { crm, userId } = await as({ scopes: ['read', 'write'] })
    const Operations = Array.from({ length: LIMITS.batch }, (_, i) => ({
      Operation: i % 2 === 0 ? 'get_current_user' : 'get_many_campaigns',
      Input: i % 2 ? { Limit: 1 } : {},
    }))
    const answer = await crm.batch({ Operations })
    assert.deepEqual([answer.Results.length, results(answer)[0]?.UserID], [LIMITS.batch, userId])
  }),

  behaviour('a batch that makes no sense is refused as a whole, and every fault is named', async ({ as, refused }) => {
    const { crm } = await as()
    const send = (given: unknown) => crm.batch(given as Batch)
    await refused(send({ Operations: Array.from({ length: LIMITS.batch + 1 }, () => lead('a')) }), 'invalid_input', { field: 'Operations', code: 'count' })
    await refused(send({ Operations: [] }), 'invalid_input', { field: 'Operations', code: 'count' })
    await refused(send({}), 'invalid_input', { field: 'Operations', code: 'missing' })
    await refused(send({ Operations: lead('a') }), 'invalid_input', { field: 'Operations', code: 'type' })
    await refused(send({ Operations: [lead('a')], Atomc: true }), 'invalid_input', { field: 'Atomc', code: 'unknown', didYouMean: 'Atomic' })
    await refused(send({ Operations: [lead('a')], Atomic: 'yes' }), 'invalid_input', { field: 'Atomic', code: 'type' })
    await refused(send({ Operations: [lead('a'), { Input: {} }] }), 'invalid_input', { field: 'Operations.1.Operation', code: 'missing' })
    await refused(send({ Operations: [{ ...lead('a'), Keys: 'x' }] }), 'invalid_input', { field: 'Operations.0.Keys', code: 'unknown', didYouMean: 'Key' })
    for (const Input of [[], 'x', 5])
      await refused(send({ Operations: [{ Operation: 'create_a_lead', Input }] }), 'invalid_input', { field: 'Operations.0.Input' })
    for (const Key of ['', 'a b', 'x'.repeat(LIMITS.idempotencyKey + 1), 5])
      await refused(send({ Operations: [{ ...lead('a'), Key }] }), 'invalid_input', { field: 'Operations.0.Key' })
    for (const given of [[], 'x', null]) await refused(send(given), 'invalid_input')
    assert.deepEqual(await names(crm), [])
  }),

  behaviour('a batch is no way around a key', async ({ crm, as }) => {
    const { LeadID } = await crm.leads.create(GRACE)
    const me = await as({ scopes: ['read', 'write'] })
    const Operations = [
      { Operation: 'get_leads', Input: { LeadID } },
      { Operation: 'delete_lead', Input: { LeadID } },
      { Operation: 'create_user', Input: { Name: 'x' } },
    ]
    assert.deepEqual(codes(await me.crm.batch({ Operations })), ['not_found', 'forbidden', 'forbidden'])
    assert.deepEqual(codes(await me.crm.batch({ Operations: Operations.slice(1), Atomic: true })), ['forbidden', 'forbidden'])
    assert.equal((await crm.leads.get({ LeadID })).LeadID, LeadID)
  }),
])
