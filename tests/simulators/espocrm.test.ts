import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { espocrm, where } from './espocrm-client.ts'

const crm = espocrm()
const SKIP = { 'x-api-key': 'simulator', 'x-skip-duplicate-check': 'true' }

const basic = (text: string) => Buffer.from(text).toString('base64')

describe('signing in', () => {
  test('takes the key, a password, and a signature of either form', async () => {
    const sign = (digest: Buffer | string) => Buffer.concat([Buffer.from('simulator:'), Buffer.from(digest)]).toString('base64')
    const hmac = () => createHmac('sha256', 'simulator').update('GET /Lead')
    for (const headers of [
      { 'x-api-key': 'simulator' },
      { authorization: `Basic ${basic('admin:simulator')}` },
      { 'espo-authorization': basic('admin:simulator') },
      { 'x-hmac-authorization': sign(hmac().digest()) },
      { 'x-hmac-authorization': sign(hmac().digest('hex')) },
    ] as { [name: string]: string }[]) {
      expect(await crm.get('Lead', headers)).toMatchObject({ status: 200, body: { total: 0, list: [] } })
    }
    for (const headers of [
      { authorization: `Basic ${basic('admin:wrong')}` },
      { 'x-hmac-authorization': sign(createHmac('sha256', 'simulator').update('GET /Case').digest()) },
      { 'x-hmac-authorization': 'nonsense' },
      { 'x-api-key': '' },
    ] as { [name: string]: string }[]) {
      expect(await crm.get('Lead', headers)).toMatchObject({ status: 401, body: '' })
    }
  })

  test('lets API users do what their roles say', async () => {
    const role = await crm.post('Role', {
      name: 'team mates',
      data: { Lead: { create: 'yes', read: 'all', edit: 'own' } },
      fieldData: { Lead: { title: { read: 'no', edit: 'no' } } },
    })
    const user = await crm.post('User', { type: 'api', userName: 'one', rolesIds: [role.body.id] })
    const key = { 'x-api-key': user.body.apiKey }
    const theirs = await crm.post('Lead', { lastName: 'Theirs', title: 'Dr' })
    const mine = await crm.post('Lead', { lastName: 'Mine', title: 'Dr', assignedUserId: user.body.id }, key)
    expect(mine.body).not.toHaveProperty('title')
    expect((await crm.get(`Lead/${theirs.body.id}`, key)).body).not.toHaveProperty('title')
    expect((await crm.get(`Lead/${mine.body.id}`)).body.title).toBeNull()
    expect(await crm.put(`Lead/${mine.body.id}`, { status: 'Dead' }, key)).toMatchObject({ status: 200, body: { status: 'Dead' } })
    expect(await crm.put(`Lead/${theirs.body.id}`, { status: 'Dead' }, key)).toMatchObject({ status: 403, reason: 'No edit access.' })
    expect(await crm.call('DELETE', `Lead/${mine.body.id}`, undefined, key)).toMatchObject({ status: 403, reason: 'No delete access.' })
    expect(await crm.get(`Lead?${where({ type: 'equals', attribute: 'title', value: 'Dr' })}`, key)).toMatchObject({
      status: 403,
      reason: "Forbidden attribute 'title' in where.",
    })
    expect(await crm.post('Opportunity', {}, key)).toMatchObject({ status: 403, reason: 'No create access.' })
    expect(await crm.post('Admin/rebuild', {}, key)).toMatchObject({ status: 403 })
    const admin = (await crm.get('User?select=id')).body.list[0]?.id
    expect(await crm.put(`Lead/${mine.body.id}`, { assignedUserId: admin }, key)).toMatchObject({
      status: 403,
      reason: 'Assignment failure: assigned user or team not allowed.',
    })
  })

  test('has no two users of one name, and none that is switched off', async () => {
    const user = await crm.post('User', { type: 'api', userName: 'twice' })
    expect(await crm.post('User', { type: 'api', userName: 'twice' })).toMatchObject({ status: 409, reason: 'userNameExists' })
    const key = { 'x-api-key': user.body.apiKey }
    expect((await crm.get('App/user', key)).body.user).toMatchObject({ userName: 'twice', type: 'api' })
    await crm.put(`User/${user.body.id}`, { isActive: false })
    expect((await crm.get('App/user', key)).status).toBe(401)
  })

  test('gives users with signatures a secret once', async () => {
    const { body } = await crm.post('User', { type: 'api', userName: 'signs', authMethod: 'Hmac' })
    const { apiKey, secretKey } = body
    const signed = basic(`${apiKey}:${createHmac('sha256', String(secretKey)).update('GET /App/user').digest('hex')}`)
    expect((await crm.get('App/user', { 'x-hmac-authorization': signed })).body.user.userName).toBe('signs')
    expect((await crm.get('App/user', { 'x-api-key': apiKey })).status).toBe(401)
    expect((await crm.get(`User/${body.id}`)).body).not.toHaveProperty('secretKey')
  })
})

describe('writing', () => {
  test.each([
    ['Lead', { lastName: 'x'.repeat(101) }, 'lastName', 'maxLength'],
    ['Lead', { firstName: '<b>' }, 'firstName', 'pattern'],
    ['Lead', { status: null }, 'status', 'valid'],
    ['Lead', { emailAddress: 'a@localhost' }, 'emailAddress', 'emailAddress'],
    ['Lead', { phoneNumber: '555-0100' }, 'phoneNumber', 'valid'],
    ['Lead', { opportunityAmount: 'much' }, 'opportunityAmount', 'valid'],
    ['Lead', { campaignId: 'no such form' }, 'campaign', 'pattern'],
    ['Opportunity', { name: 'x', amount: -1, closeDate: '2026-01-01' }, 'amount', 'min'],
    ['Opportunity', { name: 'x', amount: 1, amountCurrency: 'EUR', closeDate: '2026-01-01' }, 'amount', 'validCurrency'],
    ['Opportunity', { name: 'x', amount: 1, closeDate: '2026-01-01', probability: 101 }, 'probability', 'max'],
    ['Opportunity', { name: 'x', amount: 1 }, 'closeDate', 'required'],
    ['Opportunity', { amount: 1, closeDate: '2026-01-01' }, 'name', 'required'],
    ['Case', { name: '  ' }, 'name', 'required'],
    ['Contact', { firstName: 'x' }, 'lastName', 'required'],
    ['Campaign', { name: 'x', startDate: '2026-02-01', endDate: '2026-01-01' }, 'startDate', 'beforeEndDate'],
  ])('refuses a %s with %j', async (scope, body, field, type) => {
    expect(await crm.post(scope, body)).toMatchObject({
      status: 400,
      reason: `Field validation failure; entityType: ${scope}, field: ${field}, type: ${type}.`,
      body: { messageTranslation: { label: 'validationFailure', scope: null, data: { field, type } } },
    })
  })

  test('trims texts of one line, makes empty ones none, and leaves long ones as they are', async () => {
    const { body } = await crm.post('Lead', { lastName: ' Hopper ', title: '  ', description: ' two\nlines ', website: ' example.com ', addressStreet: '' })
    expect((await crm.get(`Lead/${body.id}`)).body).toMatchObject({
      lastName: 'Hopper',
      title: null,
      description: ' two\nlines ',
      website: 'example.com',
      addressStreet: null,
    })
  })

  test('brings numbers, times and addresses into form', async () => {
    const { body } = await crm.post('Lead', {
      lastName: 'x',
      phoneNumber: '+1 (555) 010-0199',
      emailAddress: ' Grace@Navy.example ',
      opportunityAmount: '12.5',
    })
    expect(body).toMatchObject({ phoneNumber: '+15550100199', opportunityAmount: 12.5, opportunityAmountCurrency: 'USD', opportunityAmountConverted: 12.5 })
    expect(body.emailAddressData).toEqual([{ emailAddress: 'Grace@Navy.example', lower: 'grace@navy.example', primary: true, optOut: false, invalid: false }])
    expect((await crm.post('Opportunity', { name: 'x', amount: 1, closeDate: '2026-12-31T23:00:00+05:00' })).body.closeDate).toBe('2026-12-31')
  })

  test('ignores what is read only', async () => {
    const { body } = await crm.post('Lead', { id: 'mine', lastName: 'x', createdAt: '2001-01-01 00:00:00', createdById: 'me', deleted: true })
    expect(body).toMatchObject({ deleted: false })
    expect(body.id).toMatch(/^[0-9a-f]{17}$/)
    expect(body.createdAt).not.toBe('2001-01-01 00:00:00')
    expect(body.createdById).not.toBe('me')
  })

  test('keeps one primary address among several', async () => {
    const { body } = await crm.post('Lead', {
      lastName: 'x',
      emailAddressData: [{ emailAddress: 'a@x.example' }, { emailAddress: 'b@x.example', primary: true, optOut: true }],
    })
    expect(body).toMatchObject({ emailAddress: 'b@x.example', emailAddressIsOptedOut: true })
    await crm.put(`Lead/${body.id}`, { emailAddress: 'c@x.example' })
    expect((await crm.get(`Lead/${body.id}`)).body).toMatchObject({
      emailAddress: 'c@x.example',
      emailAddressData: [
        { emailAddress: 'c@x.example', primary: true },
        { emailAddress: 'a@x.example', primary: false },
      ],
    })
  })

  test('finds duplicates by name, or by address in any case, of leads that are not deleted', async () => {
    const { body } = await crm.post('Lead', { lastName: 'Only', emailAddress: 'one@x.example' })
    expect(await crm.post('Lead', { lastName: 'Only' })).toMatchObject({ status: 409, reason: 'duplicate', body: [{ id: body.id }] })
    expect(await crm.post('Lead', { lastName: 'Other', emailAddress: 'ONE@x.example' })).toMatchObject({ status: 409 })
    expect(await crm.post('Lead', { firstName: 'First', lastName: 'Only' })).toMatchObject({ status: 200 })
    expect(await crm.post('Lead', { lastName: 'Only' }, SKIP)).toMatchObject({ status: 200 })
    expect(await crm.post('Opportunity', { name: 'x', amount: 1, closeDate: '2026-01-01' })).toMatchObject({ status: 200 })
    expect(await crm.post('Opportunity', { name: 'x', amount: 1, closeDate: '2026-01-01' })).toMatchObject({ status: 200 })
    await crm.call('DELETE', `Lead/${body.id}`)
    expect(await crm.post('Lead', { lastName: 'Other', emailAddress: 'one@x.example' })).toMatchObject({ status: 200 })
  })

  test('links only with what exists', async () => {
    expect(await crm.post('Lead', { lastName: 'x', campaignId: '6af9070d6573bc2a7' })).toMatchObject({
      status: 403,
      reason: "Can't relate with non-existing record. entity type: Lead, link: campaign.",
      body: { messageTranslation: { label: 'cannotRelateNonExisting', data: { foreignEntityType: 'Campaign' } } },
    })
  })

  test('follows an opportunity to its end', async () => {
    const { body } = await crm.post('Opportunity', { name: 'x', amount: 200, closeDate: '2026-01-01', stage: 'Proposal' })
    expect(body).toMatchObject({ probability: 50, lastStage: 'Proposal', amountWeightedConverted: 100 })
    expect((await crm.put(`Opportunity/${body.id}`, { stage: 'Closed Lost' })).body).toMatchObject({
      probability: 0,
      lastStage: 'Proposal',
      amountWeightedConverted: 0,
    })
    expect((await crm.post('Opportunity', { name: 'y', amount: 7, closeDate: '2026-01-01' })).body).toMatchObject({
      stage: 'Prospecting',
      amountCurrency: 'USD',
    })
    expect((await crm.get('Opportunity/action/reportByStage?dateFilter=ever')).body).toEqual({ Prospecting: 7, Qualification: 0, Proposal: 0, Negotiation: 0 })
  })

  test('answers an update with what was loaded before it', async () => {
    const { body } = await crm.post('Lead', { lastName: 'x', phoneNumber: '+15550100' })
    const update = await crm.call('PATCH', `Lead/${body.id}`, { phoneNumber: null })
    expect(update.body).toMatchObject({ phoneNumber: null, phoneNumberData: [{ phoneNumber: '+15550100' }] })
    expect((await crm.get(`Lead/${body.id}`)).body).toMatchObject({ phoneNumber: null, phoneNumberData: [], phoneNumberIsInvalid: null })
  })
})

describe('links', () => {
  test('are made and taken away from either end, and twice as well as once', async () => {
    const lead = (await crm.post('Lead', { lastName: 'x' })).body.id
    const list = (await crm.post('TargetList', { name: 'x' })).body.id
    const campaign = (await crm.post('Campaign', { name: 'x' })).body.id
    expect((await crm.post(`Lead/${lead}/targetLists`, { id: list })).body).toBe(true)
    expect((await crm.post(`TargetList/${list}/leads`, { ids: [lead] })).body).toBe(true)
    expect((await crm.get(`TargetList/${list}`)).body).toMatchObject({ entryCount: 1 })
    expect((await crm.call('DELETE', `TargetList/${list}/leads`, { id: lead })).body).toBe(true)
    expect((await crm.get(`Lead/${lead}/targetLists`)).body).toEqual({ total: 0, list: [] })
    expect((await crm.post(`Campaign/${campaign}/leads`, { id: lead })).body).toBe(true)
    expect((await crm.get(`Lead/${lead}`)).body.campaignId).toBe(campaign)
    expect((await crm.call('DELETE', `Campaign/${campaign}/leads`, { id: lead })).body).toBe(true)
    expect((await crm.get(`Lead/${lead}`)).body.campaignId).toBeNull()
    expect(await crm.post(`Campaign/${campaign}/leads`, {})).toMatchObject({ status: 400 })
    expect(await crm.post(`Lead/${lead}/campaign`, { id: campaign })).toMatchObject({ status: 403 })
    expect(await crm.get(`Lead/${lead}/nothing`)).toMatchObject({ status: 500, body: '' })
  })

  test('leave deleted records out', async () => {
    const lead = (await crm.post('Lead', { lastName: 'x' })).body.id
    const list = (await crm.post('TargetList', { name: 'x' })).body.id
    await crm.post(`TargetList/${list}/leads`, { id: lead })
    await crm.call('DELETE', `Lead/${lead}`)
    expect((await crm.get(`TargetList/${list}/leads`)).body.total).toBe(0)
    expect((await crm.post(`TargetList/${list}/leads`, { id: lead })).status).toBe(404)
  })
})

describe('the stream', () => {
  test('tells of everything, newest first, and numbers it', async () => {
    const lead = (await crm.post('Lead', { lastName: 'x' })).body.id
    await crm.put(`Lead/${lead}`, { status: 'In Process', opportunityAmount: 5 })
    await crm.post('Note', { parentType: 'Lead', parentId: lead, post: 'called' })
    const { total, list } = (await crm.get(`Lead/${lead}/stream`)).body
    expect(total).toBe(4)
    expect(list.map(({ type }) => type)).toEqual(['Post', 'Update', 'Status', 'Create'])
    expect(list.map(({ number }) => number)).toEqual([4, 3, 2, 1])
    expect(list[2]?.data).toEqual({ field: 'status', value: 'In Process', style: 'primary' })
    expect((await crm.get(`Lead/${lead}/posts?maxSize=1`)).body).toMatchObject({ total: 1, list: [{ post: 'called' }] })
  })

  test('can have its notes changed and deleted', async () => {
    const lead = (await crm.post('Lead', { lastName: 'x' })).body.id
    const note = (await crm.post('Note', { parentType: 'Lead', parentId: lead, post: 'one' })).body.id
    expect((await crm.put(`Note/${note}`, { post: 'two', parentId: 'elsewhere' })).body).toMatchObject({ post: 'two', parentId: lead })
    expect((await crm.call('DELETE', `Note/${note}`)).body).toBe(true)
    expect((await crm.get(`Lead/${lead}/posts`)).body.total).toBe(0)
  })
})

describe('custom record types', () => {
  const make = (name: unknown, type: unknown = 'Base') =>
    crm.post('EntityManager/action/createEntity', { name, type, labelSingular: 'Boat', labelPlural: 'Boats' })

  test('have a C before their names', async () => {
    expect((await make('boat')).body).toEqual({ name: 'CBoat' })
    expect((await crm.get('I18n')).body.Global).toMatchObject({ scopeNamesPlural: { CBoat: 'Boats' } })
    expect((await crm.post('EntityManager/action/removeEntity', { name: 'CBoat' })).body).toBe(true)
    expect((await crm.get('CBoat')).status).toBe(404)
  })

  test.each([
    ['Bo at', 500, 'Entity name should contain only letters and numbers, start with an upper case letter.'],
    ['Böat', 500, 'Entity name should contain only letters and numbers, start with an upper case letter.'],
    ['x', 500, 'Entity name should not shorter than 3.'],
    ['Lass', 409, "Entity type name 'CLass' is not allowed."],
    ['X'.repeat(40), 500, 'Entity type name should not be longer than 64.'],
    ['', 400, null],
    [7, 400, null],
  ])('are not called %s', async (name, status, reason) => {
    expect(await make(name)).toMatchObject({ status, reason })
  })

  test.each([
    ['Hull', 500, 'Field name should start with a lower case letter.'],
    ['1st', 500, 'Field name should start with a letter.'],
    ['hull_length', 500, 'Field name should contain only letters and numbers.'],
    ['name', 409, "Field 'name' already exists in 'CBoat'."],
    ['deleted', 409, "Field 'deleted' is not allowed."],
    ['assignedUserId', 409, 'namingFieldLinkConflict'],
    ['x'.repeat(51), 500, 'Field name should not be longer than 50.'],
    ['', 400, "Field 'name' cannot be empty."],
  ])('have no field %s', async (name, status, reason) => {
    await make('Boat')
    expect(await crm.post('Admin/fieldManager/CBoat', { name, type: 'varchar' })).toMatchObject({ status, reason })
  })

  test('have fields of every type, which are checked like any other', async () => {
    await make('Boat')
    const fields = [
      { name: 'sail', type: 'enum', options: ['', 'Red'], default: 'Red' },
      { name: 'masts', type: 'int', min: 1, max: 3, required: true },
      { name: 'afloat', type: 'bool' },
      { name: 'built', type: 'date' },
      { name: 'seen', type: 'datetime' },
      { name: 'price', type: 'currency' },
      { name: 'constructor', type: 'varchar', maxLength: 5 },
    ]
    for (const field of fields) expect((await crm.post('Admin/fieldManager/CBoat', { ...field, label: field.name })).status).toBe(200)
    const boat = { name: 'Ariel', masts: 2, afloat: true, built: '1999-12-31', seen: '2026-01-01T10:00:00+02:00', price: 5, constructor: 'Ltd' }
    const { body } = await crm.post('CBoat', boat)
    expect(body).toMatchObject({ ...boat, seen: '2026-01-01 08:00:00', sail: 'Red', priceCurrency: 'USD' })
    expect(await crm.post('CBoat', { name: 'x' })).toMatchObject({ reason: 'Field validation failure; entityType: CBoat, field: masts, type: required.' })
    expect(await crm.put(`CBoat/${body.id}`, { masts: 4 })).toMatchObject({ reason: 'Field validation failure; entityType: CBoat, field: masts, type: max.' })
    expect(await crm.put(`CBoat/${body.id}`, { constructor: 'Limited' })).toMatchObject({ status: 400 })
    expect(
      (await crm.get(`CBoat?${where({ type: 'isTrue', attribute: 'afloat' }, { type: 'equals', attribute: 'constructor', value: 'Ltd' })}`)).body.total,
    ).toBe(1)
    expect((await crm.call('DELETE', 'Admin/fieldManager/CBoat/masts')).body).toBe(true)
    expect((await crm.get(`CBoat/${body.id}`)).body).not.toHaveProperty('masts')
  })

  test('give other record types fields with a c before', async () => {
    expect((await crm.post('Admin/fieldManager/Lead', { name: 'colour', type: 'varchar', label: 'Colour' })).status).toBe(200)
    expect((await crm.post('Lead', { lastName: 'x', cColour: 'red', colour: 'blue' })).body).toMatchObject({ cColour: 'red' })
    expect((await crm.get('Metadata?key=entityDefs.Lead.fields.cColour')).body).toEqual({ type: 'varchar', isCustom: true })
  })
})
