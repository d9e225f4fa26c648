import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { type Answer, companyOf, defined, describedField, found, get, lead, pagedBy, update } from './own-field-calls.ts'
import { INDEXABLE, isLikeAnyOther, KINDS } from './own-field-kinds.ts'
import { email, phone } from './records.ts'
import { lastChange } from './writes.ts'

const NEEDS = { needs: 'own fields' } as const

export const ownFields = theme('fields of one’s own', [
  ...[false, true].map((Indexed) =>
    behaviour(
      `a field of every kind${Indexed ? ', with an index,' : ''} is written, answered, filtered, ordered, selected and described like any other`,
      async (context) => {
        for (const Kind of KINDS) if (!Indexed || INDEXABLE.includes(Kind)) await isLikeAnyOther(context, Kind, Indexed)
      },
      NEEDS,
    ),
  ),

  behaviour(
    'all records are paged through in the order of an indexed field, without and with a value, up and down',
    async (context) => {
      const { other: crm } = context
      const by = { crm, unique: context.unique }
      const name = await defined(by, { Kind: 'text', Indexed: true })
      for (const value of ['b', null, 'a', `${'x'.repeat(70)}2`, `${'x'.repeat(70)}1`, 'a', null]) await lead(by, { [name]: value }, crm)
      const up = await pagedBy(crm, {}, name)
      assert.deepEqual(up, await found(crm, { OrderBy: name, Limit: 1000 }))
      assert.deepEqual((await pagedBy(crm, {}, `${name} desc`)).toReversed(), up)
      const values = await Promise.all(up.map(async (LeadID) => (await get(crm, LeadID))[name]))
      assert.deepEqual(values.slice(-5), ['a', 'a', 'b', `${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`])
      assert.ok(values.slice(0, -5).every((value) => value === null))
    },
    NEEDS,
  ),

  behaviour(
    'a value that breaks Unique is refused, and nothing is written; lifted, it is not',
    async (context) => {
      const { crm, refused } = context
      const name = await defined(context, { Kind: 'text', Unique: true })
      const first = await lead(context, { [name]: 'same' })
      await refused(lead(context, { [name]: 'same' }), 'conflict', { field: name })
      const second = await lead(context)
      await refused(update(crm, second.LeadID, { [name]: 'same' }), 'conflict', { field: `FieldsToUpdate.${name}` })
      assert.deepEqual(await found(crm, { Filters: { [name]: 'same' } }), [first.LeadID])
      const upserted = (await crm.call('upsert_lead', { LastName: 'King', [name]: 'same', MatchBy: [name] })) as Answer
      assert.deepEqual([upserted.Created, upserted.LeadID, upserted.LastName], [false, first.LeadID, 'King'])
      await crm.call('update_field', { RecordType: 'Lead', FieldName: name, FieldsToUpdate: { Unique: false } })
      assert.equal((await update(crm, second.LeadID, { [name]: 'same' }))[name], 'same')
    },
    NEEDS,
  ),

  behaviour(
    'an indexed field becomes unique once no two records have the same value',
    async (context) => {
      const { crm, refused } = context
      const FieldName = await defined(context, { Kind: 'longText', Indexed: true })
      const [one, two] = [`${'x'.repeat(70)}1`, `${'x'.repeat(70)}2`]
      const leads = [await lead(context, { [FieldName]: one }), await lead(context, { [FieldName]: two }), await lead(context), await lead(context)]
      const twin = await lead(context, { [FieldName]: two })
      const change = (Unique: boolean) => crm.call('update_field', { RecordType: 'Lead', FieldName, FieldsToUpdate: { Unique } }) as Promise<Answer>
      const error = await refused(change(true), 'conflict', { field: 'FieldsToUpdate.Unique' })
      for (const { LeadID } of [leads[1] as typeof twin, twin]) assert.ok(error.message.includes(LeadID))
      assert.ok(!error.message.includes((leads[0] as typeof twin).LeadID))
      await update(crm, twin.LeadID, { [FieldName]: null })
      assert.equal((await change(true)).Unique, true)
      await refused(lead(context, { [FieldName]: two }), 'conflict', { field: FieldName })
      await change(false)
      await lead(context, { [FieldName]: two })
      await crm.call('retire_field', { RecordType: 'Lead', FieldName })
      const definition = { RecordType: 'Lead', FieldName, Kind: 'longText', Indexed: true }
      await refused(crm.call('define_field', { ...definition, Unique: true }), 'conflict', { field: 'Unique' })
      await crm.call('define_field', definition)
    },
    NEEDS,
  ),

  behaviour(
    'equal values of a unique field at the same time leave one record',
    async (context) => {
      const name = await defined(context, { Kind: 'integer', Unique: true })
      const ends = await Promise.allSettled(Array.from({ length: 20 }, () => lead(context, { [name]: 7 })))
      assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
      assert.equal((await found(context.crm, { Filters: { [name]: 7 } })).length, 1)
    },
    NEEDS,
  ),

  behaviour(
    'a required field is asked for in every create, may not be cleared, and leaves records from before as they are',
    async (context) => {
      const { crm, unique, refused } = context
      const before = (await crm.call('create_campaign', { CampaignName: unique('Fair') })) as Answer
      const name = await defined(context, { Kind: 'text', Required: true }, 'Campaign')
      try {
        await refused(crm.call('create_campaign', { CampaignName: unique('Fair') }), 'invalid_input', { field: name, code: 'missing' })
        await refused(crm.call('create_campaign', { CampaignName: unique('Fair'), [name]: ' ' }), 'invalid_input', { field: name })
        assert.equal(((await crm.call('create_campaign', { CampaignName: unique('Fair'), [name]: 'Kiel' })) as Answer)[name], 'Kiel')
        const Filters = { CampaignID: before.CampaignID }
        assert.equal(((await crm.call('get_many_campaigns', { Filters })) as { Records: Answer[] }).Records[0]?.[name], null)
      } finally {
        await crm.call('retire_field', { RecordType: 'Campaign', FieldName: name })
      }
    },
    NEEDS,
  ),

  behaviour(
    'a lead is not converted without what a new company, contact or opportunity needs, and nothing is written',
    async (context) => {
      const { other: crm, refused, unique } = context
      const by = { crm, unique }
      const types = ['Company', 'Contact', 'Opportunity'] as const
      const required = await Promise.all(types.map(async (type) => [type, await defined(by, { Kind: 'text', Required: true }, type)] as const))
      try {
        const { LeadID } = await lead(by)
        const Opportunity = { OpportunityName: unique('Engine'), Stage: 'Prospecting', CloseDate: '2026-12-31' }
        const own = Object.fromEntries(required.map(([type, name]) => [type, { [name]: 'Kiel' }]))
        const names = required.map(([type, name]) => `${type}.${name}`)
        for (const dryRun of [true, false]) {
          const missing = async (given: object) =>
            refused(crm.call('convert_lead', { LeadID, Opportunity: given }, { dryRun }), 'invalid_input', { code: 'missing' })
          const ofInput = await missing(Opportunity)
          const error = await missing({ ...Opportunity, ...own.Opportunity })
          assert.deepEqual(
            [...(error.errors ?? []), ...(ofInput.errors ?? [])].map(({ field }) => field),
            names,
          )
          assert.match(error.hint ?? '', /create_company/)
        }
        assert.notEqual((await get(crm, LeadID)).Status, 'Converted')
        const { CompanyID } = (await crm.call('create_company', { CompanyName: unique('Engines'), ...own.Company })) as Answer
        const { ContactID } = (await crm.call('create_contact', { LastName: 'Babbage', CompanyID, ...own.Contact })) as Answer
        const converted = (await crm.call('convert_lead', { LeadID, CompanyID, ContactID, Opportunity: { ...Opportunity, ...own.Opportunity } })) as Answer
        assert.deepEqual([converted.CompanyID, converted.ContactID], [CompanyID, ContactID])
        const made = (await crm.call('get_opportunity', { OpportunityID: converted.OpportunityID })) as Answer
        assert.deepEqual(Object.entries(own.Opportunity ?? {}), [[names[2]?.split('.')[1], made[names[2]?.split('.')[1] ?? '']]])
      } finally {
        for (const [RecordType, FieldName] of required) await crm.call('retire_field', { RecordType, FieldName })
      }
    },
    NEEDS,
  ),

  behaviour(
    'a choice takes its values only, which can be changed; records keep those that are gone',
    async (context) => {
      const { crm, refused } = context
      const name = await defined(context, { Kind: 'choice', Values: ['East', 'West'] })
      const several = await defined(context, { Kind: 'choices', Values: ['Red', 'Green'] })
      await refused(lead(context, { [name]: 'Est' }), 'invalid_input', { field: name, code: 'value', didYouMean: 'East' })
      await refused(crm.call('upsert_lead', { LastName: 'King', [several]: ['Red'], MatchBy: [several] }), 'invalid_input', { field: 'MatchBy.0' })
      await refused(found(crm, { Filters: { [several]: 'Red' } }), 'invalid_input', { field: `Filters.${several}` })
      await refused(lead(context, { [several]: ['Red', 'Gren'] }), 'invalid_input', { field: `${several}.1`, code: 'value', didYouMean: 'Green' })
      const { LeadID } = await lead(context, { [name]: 'East', [several]: ['Red'] })
      await crm.call('update_field', { RecordType: 'Lead', FieldName: name, FieldsToUpdate: { Values: ['North'] } })
      assert.equal((await get(crm, LeadID))[name], 'East')
      await refused(update(crm, LeadID, { [name]: 'West' }), 'invalid_input', { field: `FieldsToUpdate.${name}` })
      assert.deepEqual((await describedField(crm, 'Lead', name))?.AllowedValues, ['North'])
    },
    NEEDS,
  ),

  behaviour(
    'a reference is checked, followed by filters, shown by Include and emptied when its record is deleted; undo brings it back',
    async (context) => {
      const { crm, refused } = context
      const reference = { RecordType: 'Lead', Kind: 'reference', RefersTo: 'Company' }
      const text = await defined(context, { Kind: 'text' })
      await refused(crm.call('define_field', { ...reference, FieldName: `${text}ID` }), 'conflict', { field: 'FieldName' })
      const partner = context.unique('Partner')
      const name = `${partner}ID`
      await crm.call('define_field', { ...reference, FieldName: name })
      await refused(crm.call('define_field', { RecordType: 'Lead', FieldName: partner, Kind: 'text' }), 'conflict', { field: 'FieldName' })
      await refused(lead(context, { [name]: 'nothing' }), 'not_found', { field: name })
      const member = await context.as()
      const CompanyID = await companyOf(context)
      await refused(lead(context, { [name]: CompanyID }, member.crm), 'not_found', { field: name })
      const { LeadID } = await lead(context, { [name]: CompanyID })
      const { CompanyName } = await crm.companies.get({ CompanyID })
      assert.deepEqual(await found(crm, { Filters: { [`${partner}.CompanyName`]: CompanyName } }), [LeadID])
      const shown = (await crm.call('get_leads', { LeadID, Include: [partner] })) as { [name: string]: Answer }
      assert.equal(shown[partner]?.CompanyName, CompanyName)
      assert.deepEqual((await crm.companies.delete({ CompanyID })).Emptied, { Lead: 1 })
      assert.equal((await get(crm, LeadID))[name], null)
      await crm.changes.undo({ ChangeID: (await lastChange(context, CompanyID)).ChangeID })
      assert.equal((await get(crm, LeadID))[name], CompanyID)
    },
    NEEDS,
  ),

  behaviour(
    'two records may refer to each other by a field of one’s own',
    async (context) => {
      const { crm } = context
      const name = await defined(context, { Kind: 'reference', RefersTo: 'Lead' })
      const one = await lead(context)
      const two = await lead(context, { [name]: one.LeadID })
      assert.equal((await update(crm, one.LeadID, { [name]: two.LeadID }))[name], two.LeadID)
      await crm.leads.delete({ LeadID: one.LeadID })
      assert.equal((await get(crm, two.LeadID))[name], null)
      await update(crm, two.LeadID, { [name]: two.LeadID })
      assert.deepEqual(await crm.leads.delete({ LeadID: two.LeadID }), { LeadID: two.LeadID, Deleted: true })
      await crm.changes.undo({ ChangeID: (await lastChange(context, two.LeadID)).ChangeID })
      assert.equal((await get(crm, two.LeadID))[name], two.LeadID)
    },
    NEEDS,
  ),

  behaviour(
    'a retired field is gone, and comes back with its values as what it was',
    async (context) => {
      const { crm, refused } = context
      const name = await defined(context, { Kind: 'integer', Indexed: true })
      const { LeadID } = await lead(context, { [name]: 5 })
      const other = await lead(context, { [name]: 7 })
      await update(crm, other.LeadID, { [name]: 6 })
      const ofField = (await lastChange(context, other.LeadID)).ChangeID
      await update(crm, LeadID, { Title: 'Countess' })
      const earlier = (await lastChange(context, LeadID)).ChangeID
      const retire = () => crm.call('retire_field', { RecordType: 'Lead', FieldName: name }) as Promise<Answer>
      assert.equal((await retire()).Retired, true)
      assert.equal((await retire()).Retired, true)
      assert.equal(name in (await get(crm, LeadID)), false)
      assert.equal(await describedField(crm, 'Lead', name), undefined)
      await refused(lead(context, { [name]: 6 }), 'invalid_input', { field: name, code: 'unknown' })
      await refused(found(crm, { Filters: { [name]: 5 } }), 'invalid_input', { field: `Filters.${name}`, code: 'unknown' })
      await refused(crm.call('update_field', { RecordType: 'Lead', FieldName: name, FieldsToUpdate: { Label: 'x' } }), 'not_found', { field: 'FieldName' })
      // Images from before have the field still.
      await crm.changes.undo({ ChangeID: earlier })
      await refused(crm.changes.undo({ ChangeID: ofField }), 'conflict')
      await update(crm, LeadID, { Phone: phone(1) })
      await crm.leads.delete({ LeadID: other.LeadID })
      await crm.changes.undo({ ChangeID: (await lastChange(context, other.LeadID)).ChangeID })
      await refused(crm.call('define_field', { RecordType: 'Lead', FieldName: name, Kind: 'text' }), 'conflict', { field: 'Kind' })
      const otherwise = crm.call('define_field', { RecordType: 'Lead', FieldName: name.toUpperCase(), Kind: 'integer', Indexed: true })
      assert.match((await refused(otherwise, 'conflict', { field: 'FieldName' })).hint ?? '', new RegExp(`Define it as ${name} `))
      await crm.call('define_field', { RecordType: 'Lead', FieldName: name, Kind: 'integer' })
      await refused(update(crm, LeadID, { [name]: 2 ** 53 }), 'invalid_input', { field: `FieldsToUpdate.${name}` })
      assert.deepEqual([(await get(crm, LeadID))[name], await found(crm, { Filters: { [name]: 5 } })], [5, [LeadID]])
    },
    NEEDS,
  ),

  behaviour(
    'a search finds texts, e-mail addresses and phone numbers of such fields, and nothing of retired ones',
    async (context) => {
      const { crm, unique } = context
      const [text, number, choice] = [
        await defined(context, { Kind: 'longText' }),
        await defined(context, { Kind: 'phone' }),
        await defined(context, { Kind: 'choice', Values: ['Gold', 'Silver'] }),
      ]
      const word = unique('Zeppelin').toLowerCase().replaceAll('_', '')
      const { LeadID } = await lead(context, { [text]: `Flies a ${word}.`, [number]: '+49 (0)7541 9500', [choice]: 'Gold' })
      const search = async (Text: string) => {
        const { Records } = await crm.search({ Text, RecordTypes: ['Lead'] })
        return Records.flatMap(({ Record, Matched }) => ((Record as Answer).LeadID === LeadID ? Matched : []))
      }
      assert.deepEqual([await search(word), await search('075419500'), await search('gold')], [[text], [number], []])
      await update(crm, LeadID, { [text]: 'Walks.' })
      assert.deepEqual(await search(word), [])
      await update(crm, LeadID, { [text]: word })
      await crm.call('retire_field', { RecordType: 'Lead', FieldName: text })
      assert.deepEqual(await search(word), [])
      await crm.call('define_field', { RecordType: 'Lead', FieldName: text, Kind: 'longText' })
      assert.deepEqual(await search(word), [text])
    },
    NEEDS,
  ),

  behaviour(
    'a retired reference comes back empty where its record was deleted meanwhile',
    async (context) => {
      const { crm } = context
      const definition = { RecordType: 'Lead', FieldName: context.unique('Partner'), Kind: 'reference', RefersTo: 'Company' } as const
      await crm.call('define_field', definition)
      const { FieldName } = definition
      const [gone, kept] = [await companyOf(context), await companyOf(context)]
      const [one, two, three] = [
        await lead(context, { [FieldName]: gone }),
        await lead(context, { [FieldName]: kept }),
        await lead(context, { [FieldName]: gone }),
      ]
      await crm.leads.delete({ LeadID: three.LeadID })
      await crm.call('retire_field', { RecordType: 'Lead', FieldName })
      assert.equal((await crm.companies.delete({ CompanyID: gone })).Emptied, undefined)
      await crm.changes.undo({ ChangeID: (await lastChange(context, three.LeadID)).ChangeID })
      await crm.call('define_field', definition)
      const values = await Promise.all([one, two, three].map(async ({ LeadID }) => (await get(crm, LeadID))[FieldName]))
      assert.deepEqual(values, [null, kept, null])
      assert.deepEqual(await found(crm, { Filters: { [FieldName]: gone } }), [])
    },
    NEEDS,
  ),

  behaviour(
    'changes of such fields are in the events, the audit and the dry run, and are undone; a deleted record comes back with them',
    async (context) => {
      const { crm } = context
      const name = await defined(context, { Kind: 'number', Indexed: true })
      const plain = await defined(context, { Kind: 'text' })
      const { LeadID } = await lead(context, { [name]: 1, [plain]: 'one' })
      const dry = (await crm.call('update_lead', { LeadID, FieldsToUpdate: { [name]: 2 } }, { dryRun: true })) as { Difference: Answer }
      assert.deepEqual(dry.Difference, { [name]: { From: 1, To: 2 } })
      assert.equal((await get(crm, LeadID))[name], 1)
      await update(crm, LeadID, { [name]: 2 })
      const { ChangeID, Before, After } = await lastChange(context, LeadID)
      assert.deepEqual([(Before as Answer)[name], (After as Answer)[name], (After as Answer)[plain]], [1, 2, 'one'])
      await crm.changes.undo({ ChangeID })
      assert.deepEqual([(await get(crm, LeadID))[name], await found(crm, { Filters: { [name]: 2 } })], [1, []])
      await crm.leads.delete({ LeadID })
      assert.deepEqual(await found(crm, { Filters: { [name]: 1 } }), [])
      await crm.changes.undo({ ChangeID: (await lastChange(context, LeadID)).ChangeID })
      const back = await get(crm, LeadID)
      assert.deepEqual([back[name], back[plain], await found(crm, { Filters: { [name]: 1 } })], [1, 'one', [LeadID]])
    },
    NEEDS,
  ),

  behaviour(
    'a field that a batch defines is known to the calls after it',
    async (context) => {
      const { crm, unique } = context
      const [RecordType, FieldName] = ['Lead', unique('Own')]
      const create = (value: string) => ({
        Operation: 'create_a_lead' as const,
        Input: { FirstName: 'Ada', LastName: 'Lovelace', Email: email(context), [FieldName]: value },
      })
      const { Results } = await crm.batch({
        Operations: [{ Operation: 'define_field', Input: { RecordType, FieldName, Kind: 'text' } }, create('one'), create('two')],
      })
      assert.deepEqual(
        Results.map(({ Status }) => Status),
        [200, 200, 200],
      )
      assert.equal((Results[1]?.Result as Answer | undefined)?.[FieldName], 'one')
    },
    NEEDS,
  ),

  behaviour(
    'a definition that cannot be is refused with its fault, and nothing is defined',
    async (context) => {
      const { crm, refused, unique } = context
      const FieldName = unique('Own')
      const define = (input: Answer) => crm.call('define_field', { RecordType: 'Lead', FieldName, Kind: 'text', ...input })
      await refused(define({ RecordType: 'Led' }), 'invalid_input', { field: 'RecordType', didYouMean: 'Lead' })
      await refused(define({ Kind: 'intger' }), 'invalid_input', { field: 'Kind', didYouMean: 'integer' })
      await refused(define({ FieldName: '1x' }), 'invalid_input', { field: 'FieldName', code: 'form' })
      await refused(define({ FieldName: 'a"; DROP TABLE "Lead' }), 'invalid_input', { field: 'FieldName', code: 'form' })
      for (const name of ['Email', 'email', 'LeadID', 'OwnerID'])
        await refused(define({ FieldName: name }), 'invalid_input', { field: 'FieldName', code: 'conflict' })
      for (const name of ['json', 'Output', 'constructor', 'hasOwnProperty', 'any', 'not', 'Notes', 'Owner', 'MatchBy', 'DryRun'])
        await refused(define({ FieldName: name }), 'invalid_input', { field: 'FieldName' })
      for (const name of ['Records', 'NextCursor', 'AsOf', 'Fresh', 'Remarks', 'UserNames', 'leftout', 'ChangeID', 'ConfirmationToken'])
        await refused(define({ FieldName: name }), 'invalid_input', { field: 'FieldName', code: 'value' })
      await refused(define({ Kind: 'reference' }), 'invalid_input', { field: 'RefersTo', code: 'missing' })
      await refused(define({ RefersTo: 'Company' }), 'invalid_input', { field: 'RefersTo' })
      await refused(define({ Values: ['a'] }), 'invalid_input', { field: 'Values' })
      await refused(define({ Kind: 'json', Unique: true, Indexed: true }), 'invalid_input', { field: 'Unique' })
      await refused(define({ Kind: 'choice', Values: [] }), 'invalid_input', { field: 'Values' })
      assert.equal(await describedField(crm, 'Lead', FieldName), undefined)
      await define({})
      await refused(define({}), 'conflict', { field: 'FieldName' })
      await refused(define({ FieldName: FieldName.toUpperCase() }), 'conflict', { field: 'FieldName' })
      const change = (FieldsToUpdate: Answer) => crm.call('update_field', { RecordType: 'Lead', FieldName, FieldsToUpdate })
      await refused(change({ Kind: 'integer' }), 'conflict', { field: 'FieldsToUpdate.Kind' })
      await refused(change({ Indexed: true }), 'conflict', { field: 'FieldsToUpdate.Indexed' })
      await refused(change({ Unique: true }), 'conflict', { field: 'FieldsToUpdate.Unique' })
      await refused(change({ Values: ['a'] }), 'invalid_input', { field: 'FieldsToUpdate.Values' })
      await refused(crm.call('retire_field', { RecordType: 'Lead', FieldName: `${FieldName}x` }), 'not_found', { field: 'FieldName', didYouMean: FieldName })
      assert.equal(((await change({ Label: 'Mine' })) as Answer).Label, 'Mine')
    },
    NEEDS,
  ),

  behaviour(
    'the fields of a workspace are its own, and only an admin defines them',
    async (context) => {
      const { crm, other, as, refused, unique } = context
      const name = await defined(context, { Kind: 'text' })
      assert.equal(await describedField(other, 'Lead', name), undefined)
      await refused(lead({ crm: other, unique }, { [name]: 'x' }), 'invalid_input', { field: name, code: 'unknown' })
      const manager = await as({ role: 'manager' })
      await refused(manager.crm.call('define_field', { RecordType: 'Lead', FieldName: `${name}2`, Kind: 'text' }), 'forbidden')
      const member = await as()
      assert.equal((await lead(context, { [name]: 'mine' }, member.crm))[name], 'mine')
      assert.deepEqual(await found(crm, { Filters: { [name]: 'mine' }, Select: [name] }), await found(member.crm, { Filters: { [name]: 'mine' } }))
    },
    NEEDS,
  ),
])
