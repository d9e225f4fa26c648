import jsforce from 'jsforce'
import { describe, expect, it } from 'vitest'
import { salesforce } from './salesforce-client.ts'

const { simulator, connect } = salesforce()

const lead = (LastName: string, more: object = {}) => ({ LastName, Company: 'Navy', ...more })

describe('jsforce signs in', () => {
  it('by client credentials, and asks who it is', async () => {
    const connection = connect({ accessToken: undefined, refreshToken: undefined })
    const user = await connection.authorize({ grant_type: 'client_credentials' })
    expect(connection.accessToken).toMatch(/^00D\w{12}!/)
    const identity = await connection.identity()
    expect(identity).toMatchObject({ user_id: user.id, organization_id: user.organizationId, active: true })
  })

  it('by a username and a password, over OAuth and over SOAP', async () => {
    const oauth = connect({ accessToken: undefined, refreshToken: undefined })
    expect((await oauth.login('integration@simulator.example', 'simulator')).id).toMatch(/^005/)
    const soap = new jsforce.Connection({ loginUrl: simulator().url, version: '60.0' })
    expect((await soap.login('integration@simulator.example', 'simulator')).id).toMatch(/^005/)
    expect((await soap.query('SELECT Id FROM User')).totalSize).toBe(1)
    await expect(new jsforce.Connection({ loginUrl: simulator().url }).login('a@b.example', 'wrong')).rejects.toThrow('INVALID_LOGIN')
  })

  it('again when its session has expired, and carries on', async () => {
    const connection = connect()
    const first = connection.accessToken
    simulator().faults.add('expired-session=1x')
    const created = await connection.sobject('Lead').create(lead('Refreshed'))
    expect(created.success).toBe(true)
    expect(connection.accessToken).not.toBe(first)
    expect(connection.accessToken).toMatch(/^00D/)
  })

  it('by an authorization code, which also gives a refresh token, and logs out', async () => {
    const connection = connect({
      accessToken: undefined,
      refreshToken: undefined,
      oauth2: { clientId: 'simulator', clientSecret: 'simulator', loginUrl: simulator().url, redirectUri: 'http://localhost/back' },
    })
    await connection.authorize('simulator')
    expect(connection.refreshToken).toMatch(/^5Aep/)
    simulator().faults.add('expired-session=1x')
    await connection.query('SELECT Id FROM Lead LIMIT 1')
    await connection.logout()
    expect(connection.accessToken).toBeNull()
  })
})

describe('jsforce works with records', () => {
  it('creates, retrieves, updates, finds and destroys one', async () => {
    const leads = connect().sobject('Lead')
    const { id } = (await leads.create(lead('Hopper', { FirstName: 'Grace', Email: 'grace@navy.example' }))) as { readonly id: string }
    expect(id).toMatch(/^00Q\w{15}$/)
    expect(await leads.retrieve(id)).toMatchObject({
      attributes: { type: 'Lead', url: `/services/data/v66.0/sobjects/Lead/${id}` },
      Id: id,
      Name: 'Grace Hopper',
      Status: 'Open - Not Contacted',
      IsDeleted: false,
      Rating: null,
    })
    expect(await leads.update({ Id: id, Rating: 'Hot' })).toEqual({ id, success: true, errors: [] })
    const found = await leads.find({ Email: 'GRACE@navy.example' }, ['Id', 'Rating', 'CreatedDate']).limit(5)
    expect(found).toEqual([
      expect.objectContaining({ Id: id, Rating: 'Hot', CreatedDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000\+0000$/) }),
    ])
    expect(await leads.findOne({ LastName: { $like: 'Hop%' } }, 'Name')).toMatchObject({ Name: 'Grace Hopper' })
    expect(await leads.count({ Rating: 'Hot' })).toBe(1)
    expect(await leads.destroy(id)).toEqual({ id, success: true, errors: [] })
    await expect(leads.retrieve(id)).rejects.toMatchObject({ errorCode: 'ENTITY_IS_DELETED' })
  })

  it('creates, retrieves, updates, upserts and destroys many', async () => {
    const contacts = connect().sobject('Contact')
    const made = await contacts.create([{ LastName: 'A' }, { FirstName: 'nobody' }, { LastName: 'C' }])
    expect(made.map(({ success }) => success)).toEqual([true, false, true])
    expect(made[1]).toEqual({
      success: false,
      errors: [{ statusCode: 'REQUIRED_FIELD_MISSING', message: 'Required fields are missing: [LastName]', fields: ['LastName'] }],
    })
    const ids = made.flatMap(({ id }) => id ?? [])
    expect(await contacts.retrieve(ids)).toMatchObject([{ LastName: 'A' }, { LastName: 'C' }])
    expect(await contacts.update(ids.map((Id, at) => ({ Id, Email: `c${at}@navy.example` })))).toMatchObject([{ success: true }, { success: true }])
    const upserted = await contacts.upsert(
      [
        { Email: 'c0@navy.example', LastName: 'A2' },
        { Email: 'new@navy.example', LastName: 'D' },
      ],
      'Email',
    )
    expect(upserted).toMatchObject([{ id: ids[0], created: false }, { created: true }])
    const single = await contacts.upsert({ Email: 'c1@navy.example', Title: 'Captain' }, 'Email')
    expect(single).toMatchObject({ id: ids[1], success: true, created: false })
    expect(await contacts.destroy(ids)).toEqual(ids.map((id) => ({ id, success: true, errors: [] })))
    const none = await contacts.create([{ LastName: 'E' }, {}], { allOrNone: true })
    expect(none.map(({ errors }) => (errors[0] as unknown as { statusCode: string }).statusCode)).toEqual([
      'ALL_OR_NONE_OPERATION_ROLLED_BACK',
      'REQUIRED_FIELD_MISSING',
    ])
    expect(await contacts.count({ LastName: 'E' })).toBe(0)
  })

  it('goes through more records than a page holds', async () => {
    const connection = connect()
    for (let batch = 0; batch < 21; batch++) {
      await connection.sobject('Account').create(Array.from({ length: 200 }, (_, at) => ({ Name: `Account ${batch * 200 + at}`, Description: 'long' })))
    }
    const first = await connection.query<{ readonly Name: string }>('SELECT Id, Name FROM Account ORDER BY Id')
    expect(first).toMatchObject({ totalSize: 4200, done: false, nextRecordsUrl: expect.stringMatching(/-2000$/) })
    const second = await connection.queryMore<{ readonly Name: string }>(first.nextRecordsUrl ?? '')
    const third = await connection.queryMore<{ readonly Name: string }>(second.nextRecordsUrl ?? '')
    expect(third).toMatchObject({ totalSize: 4200, done: true })
    expect(third.nextRecordsUrl).toBeUndefined()
    const names = [first, second, third].flatMap(({ records }) => records.map(({ Name }) => Name))
    expect(names).toEqual(Array.from({ length: 4200 }, (_, at) => `Account ${at}`))
    const long = await connection.query('SELECT Id, Description FROM Account')
    expect(long.records).toHaveLength(1000)
    expect(long.nextRecordsUrl).toMatch(/-1000$/)
    const { records } = await connection.query<{ readonly Id: string }>('SELECT Id FROM Account').execute({ autoFetch: true, maxFetch: 5000 })
    expect(new Set(records.map(({ Id }) => Id)).size).toBe(4200)
    const small = await connection.query('SELECT Id FROM Account', { headers: { 'Sforce-Query-Options': 'batchSize=200' } })
    expect(small.records).toHaveLength(200)
  })

  it('adds up', async () => {
    const connection = connect()
    const deal = (StageName: string, Amount: number | null) => ({ Name: 'Deal', StageName, CloseDate: '2026-12-31', Amount })
    await connection.sobject('Opportunity').create([deal('Prospecting', 0.1), deal('Prospecting', 0.2), deal('Closed Won', 1000), deal('Closed Won', null)])
    const { records, totalSize } = await connection.query(
      'SELECT StageName, COUNT(Id) n, SUM(Amount) total, AVG(Amount), MAX(Amount) FROM Opportunity GROUP BY StageName ORDER BY StageName',
    )
    expect(totalSize).toBe(2)
    expect(records).toEqual([
      { attributes: { type: 'AggregateResult' }, StageName: 'Prospecting', n: 2, total: 0.3, expr0: expect.closeTo(0.15), expr1: 0.2 },
      { attributes: { type: 'AggregateResult' }, StageName: 'Closed Won', n: 2, total: 1000, expr0: 1000, expr1: 1000 },
    ])
    expect(await connection.sobject('Opportunity').count()).toBe(4)
    expect(await connection.query('SELECT COUNT() FROM Opportunity')).toMatchObject({ totalSize: 4, done: true, records: [] })
  })

  it('knows the limits, the versions and how many calls there were', async () => {
    const connection = connect()
    const limits = await connection.limits()
    expect(limits.DailyApiRequests).toEqual({ Max: 15000, Remaining: expect.any(Number) })
    expect(connection.limitInfo.apiUsage).toEqual({ used: expect.any(Number), limit: 15000 })
    expect(await connection.request('/services/data')).toContainEqual({ label: "Summer '14", url: '/services/data/v31.0', version: '31.0' })
  })

  it('sees what changed lately', async () => {
    const leads = connect().sobject('Lead')
    const { id } = (await leads.create(lead('Seen'))) as { readonly id: string }
    const [from, to] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)]
    expect((await leads.updated(from, to)).ids).toContain(id)
    await leads.destroy(id)
    expect((await leads.deleted(from, to)).deletedRecords).toContainEqual({ id, deletedDate: expect.any(String) })
    expect((await leads.recent()).length).toBeGreaterThan(0)
    const { searchRecords } = await connect().search('FIND {Refreshed} IN ALL FIELDS RETURNING Lead(Id, LastName)')
    expect(searchRecords).toMatchObject([{ LastName: 'Refreshed' }])
  })
})

describe('jsforce works with definitions', () => {
  it('describes what there is', async () => {
    const connection = connect()
    const { sobjects } = await connection.describeGlobal()
    expect(sobjects.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['Lead', 'Opportunity', 'Case', 'Campaign', 'CampaignMember', 'Note', 'CaseComment', 'User']),
    )
    const described = await connection.describe('Lead')
    const required = described.fields.filter(({ createable, nillable, defaultedOnCreate }) => createable && !nillable && !defaultedOnCreate)
    expect(required.map(({ name }) => name)).toEqual(['LastName', 'Company'])
    expect(described.fields.find(({ name }) => name === 'Status')).toMatchObject({
      restrictedPicklist: false,
      defaultValue: 'Open - Not Contacted',
      length: 255,
    })
    expect(described.fields.find(({ name }) => name === 'Description')).toMatchObject({ filterable: false, sortable: false, groupable: false, length: 32000 })
    expect(described.childRelationships.map(({ childSObject, field }) => `${childSObject}.${field}`)).toEqual(
      expect.arrayContaining(['CampaignMember.LeadId', 'Note.ParentId', 'Task.WhoId']),
    )
    const cases = await connection.describe('Case')
    expect([described, await connection.describe('Opportunity'), cases].map(({ fields }) => fields.length)).toEqual([55, 40, 35])
    expect(cases.childRelationships.map(({ childSObject }) => childSObject)).not.toContain('Note')
    await expect(connection.describe('Nothing')).rejects.toMatchObject({ errorCode: 'NOT_FOUND' })
  })

  it('makes an object and its fields, fills it and queries it', async () => {
    const connection = connect()
    const made = await connection.metadata.create('CustomObject', {
      fullName: 'Boat__c',
      label: 'Boat',
      pluralLabel: 'Boats & more',
      nameField: { type: 'Text', label: 'Boat Name' },
      deploymentStatus: 'Deployed',
      sharingModel: 'ReadWrite',
      fields: [{ fullName: 'Log__c', label: 'Log', type: 'LongTextArea', length: 32768, visibleLines: 3 }],
    } as never)
    expect(made).toMatchObject({ fullName: 'Boat__c', success: true })
    expect(await connection.metadata.create('CustomObject', { fullName: 'Boat__c', label: 'Boat' } as never)).toMatchObject({
      success: false,
      errors: [{ statusCode: 'DUPLICATE_DEVELOPER_NAME' }],
    })
    const fields = [
      { fullName: 'Boat__c.Flag__c', label: 'Flag', type: 'Text', length: 20, externalId: true, unique: true },
      { fullName: 'Boat__c.Sails__c', label: 'Sails', type: 'Checkbox', defaultValue: 'false' },
    ]
    expect(await connection.metadata.create('CustomField', fields as never)).toMatchObject([{ success: true }, { success: true }])
    const { fields: read } = await connection.metadata.read('CustomObject', 'Boat__c')
    expect(Object.fromEntries([read].flat().map((one) => [`Boat__c.${one?.fullName}`, one?.type]))).toMatchObject(
      Object.fromEntries(fields.map(({ fullName, type }) => [fullName, type])),
    )
    const number = { label: 'Hull', type: 'Number', precision: 18, scale: 2 }
    const field = await connection.tooling.sobject('CustomField').create({ FullName: 'Boat__c.Hull__c', Metadata: number } as never)
    expect(field).toMatchObject({ success: true, id: expect.stringMatching(/^00N/) })
    const described = await connection.describe('Boat__c')
    expect(described).toMatchObject({ custom: true, label: 'Boat', labelPlural: 'Boats & more', keyPrefix: 'a00' })
    expect(described.fields.find(({ name }) => name === 'Hull__c')).toMatchObject({ type: 'double', precision: 18, scale: 2, custom: true, nillable: true })
    const boats = connection.sobject('Boat__c')
    const { id } = (await boats.create({ Name: 'Ariel', Hull__c: 7.505, Flag__c: 'FR', Sails__c: true })) as { readonly id: string }
    expect(await boats.retrieve(id)).toMatchObject({ Name: 'Ariel', Hull__c: 7.51, Sails__c: true, Log__c: null })
    expect(await boats.upsert({ Flag__c: 'FR', Hull__c: 8 }, 'Flag__c')).toMatchObject({ id, created: false })
    await expect(boats.create({ Flag__c: 'fr' })).rejects.toMatchObject({ errorCode: 'DUPLICATE_VALUE' })
    expect((await connection.query('SELECT SUM(Hull__c) s FROM Boat__c WHERE Sails__c = true')).records).toMatchObject([{ s: 8 }])
    const seen = await connection.tooling.query("SELECT Id, DeveloperName FROM CustomField WHERE DeveloperName = 'Hull'")
    expect(seen.records).toMatchObject([{ Id: (field as unknown as { readonly id: string }).id, DeveloperName: 'Hull' }])
    const defined = await connection.query(
      "SELECT QualifiedApiName, DataType FROM FieldDefinition WHERE EntityDefinition.QualifiedApiName = 'Boat__c' AND QualifiedApiName = 'Flag__c'",
    )
    expect(defined.records).toMatchObject([{ QualifiedApiName: 'Flag__c', DataType: 'Text(20)' }])
    const numbered = { fullName: 'Ticket__c', label: 'Ticket', pluralLabel: 'Tickets', deploymentStatus: 'Deployed', sharingModel: 'ReadWrite' }
    await connection.metadata.create('CustomObject', { ...numbered, nameField: { type: 'AutoNumber', label: 'Number', displayFormat: 'T-{0000}' } } as never)
    const ticket = (await connection.sobject('Ticket__c').create({})) as { readonly id: string }
    expect(await connection.sobject('Ticket__c').retrieve(ticket.id)).toMatchObject({ Name: 'T-0001' })
    expect(await connection.metadata.delete('CustomObject', ['Boat__c'])).toMatchObject([{ success: true }])
    await expect(boats.create({ Name: 'Ariel' })).rejects.toMatchObject({ errorCode: 'NOT_FOUND' })
  })
})
