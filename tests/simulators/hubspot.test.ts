import { Client } from '@hubspot/api-client'
import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { afterEach, beforeEach, expect, test } from 'vitest'

let simulator: Simulator
let client: Client

beforeEach(async () => {
  simulator = await startSimulator(simulateHubSpot)
  client = new Client({ accessToken: 'simulator', basePath: simulator.url, limiterOptions: { minTime: 0, maxConcurrent: 100 } })
})
afterEach(() => simulator.close())

const ADA = { email: 'ada@example.com', firstname: 'Ada', lastname: 'Lovelace', company: 'Analytical Engines' }

/** The enumerations of the client are declared, not plain texts. */
const filter = (propertyName: string, operator: string, value?: string) => ({
  propertyName,
  operator: operator as never,
  ...(value !== undefined && { value }),
})

const primaryContact = (id: string) => [{ to: { id }, types: [{ associationCategory: 'HUBSPOT_DEFINED' as never, associationTypeId: 578 }] }]

test('a contact is created, read, changed and archived', async () => {
  const { basicApi } = client.crm.contacts
  const made = await basicApi.create({ properties: ADA, associations: [] })
  expect(made.id).toMatch(/^\d{12}$/)
  expect(made.properties).toMatchObject({ ...ADA, lifecyclestage: 'lead', hs_object_id: made.id })
  expect(made.createdAt).toBeInstanceOf(Date)
  expect(made.archived).toBe(false)

  const read = await basicApi.getById(made.id, ['email', 'phone', 'there_is_no_such_thing'])
  expect(read.properties).toEqual({
    email: ADA.email,
    phone: null,
    hs_object_id: made.id,
    createdate: made.createdAt.toISOString().replace('.000Z', 'Z'),
    lastmodifieddate: made.updatedAt.toISOString().replace('.000Z', 'Z'),
  })
  expect((await basicApi.getById(ADA.email, undefined, undefined, undefined, undefined, 'email')).id).toBe(made.id)

  const changed = await basicApi.update(made.id, { properties: { phone: '+44 1', company: '' } })
  expect(changed.properties).toMatchObject({ phone: '+44 1', company: null, lastname: 'Lovelace' })

  await basicApi.archive(made.id)
  await expect(basicApi.getById(made.id)).rejects.toMatchObject({ code: 404 })
  const archived = await basicApi.getById(made.id, undefined, undefined, undefined, true)
  expect(archived.archivedAt).toBeInstanceOf(Date)
  await basicApi.archive(made.id)
  await basicApi.archive('123456789')
})

test('a contact that was erased leaves nothing, and its email is free again', async () => {
  const { id } = await client.crm.contacts.basicApi.create({ properties: ADA, associations: [] })
  await client.crm.contacts.basicApi.purge({ objectId: id })
  await expect(client.crm.contacts.basicApi.getById(id, undefined, undefined, undefined, true)).rejects.toMatchObject({ code: 404 })
  expect((await client.crm.contacts.basicApi.create({ properties: ADA, associations: [] })).id).not.toBe(id)
})

test('two contacts become one, which keeps what it has and takes the rest', async () => {
  const one = await client.crm.contacts.basicApi.create({ properties: ADA, associations: [] })
  const two = await client.crm.contacts.basicApi.create({ properties: { firstname: 'Augusta', phone: '1' }, associations: [] })
  const merged = await client.crm.contacts.basicApi.merge({ primaryObjectId: one.id, objectIdToMerge: two.id })
  expect(merged).toMatchObject({ id: one.id, properties: { firstname: 'Ada', phone: '1', email: ADA.email } })
  expect(await client.crm.contacts.getAll()).toHaveLength(1)
})

test('tasks, calls, meetings, emails and what is for sale are there, too', async () => {
  const timed = { hs_timestamp: '2026-03-12T10:00:00Z' }
  const { tasks, calls, meetings, emails } = client.crm.objects
  for (const { basicApi } of [tasks, calls, meetings, emails]) {
    const { id } = await basicApi.create({ properties: timed, associations: [] })
    expect((await basicApi.getById(id, ['hs_timestamp'])).properties).toMatchObject(timed)
  }
  const item = await client.crm.lineItems.basicApi.create({ properties: { name: 'Engine', quantity: '2' }, associations: [] })
  const deal = await client.crm.deals.basicApi.create({ properties: { dealname: 'x' }, associations: [] })
  await client.crm.associations.v4.basicApi.createDefault('line_items', item.id, 'deals', deal.id)
  expect((await client.crm.products.basicApi.create({ properties: { name: 'Engine', price: '2.5' }, associations: [] })).properties.price).toBe('2.5')
})

test('every value of a deal is a text, whatever was sent', async () => {
  const properties = { dealname: 'Engine', amount: 3000 as never, closedate: '2026-12-31', dealstage: 'appointmentscheduled' }
  const deal = await client.crm.deals.basicApi.create({ properties, associations: [] })
  expect(deal.properties).toMatchObject({ amount: '3000', closedate: '2026-12-31T00:00:00Z', pipeline: 'default', dealstage: 'appointmentscheduled' })
  const read = await client.crm.deals.basicApi.getById(deal.id)
  expect(Object.keys(read.properties).sort()).toEqual([
    'amount',
    'closedate',
    'createdate',
    'dealname',
    'dealstage',
    'hs_lastmodifieddate',
    'hs_object_id',
    'pipeline',
  ])
})

test('pages of a list yield every record once, and the last has no next', async () => {
  const inputs = Array.from({ length: 25 }, (_, index) => ({ properties: { dealname: `Deal ${index}` }, associations: [] }))
  await client.crm.deals.batchApi.create({ inputs })
  const names: (string | null | undefined)[] = []
  let after: string | undefined
  let pages = 0
  do {
    const page = await client.crm.deals.basicApi.getPage(10, after, ['dealname'])
    names.push(...page.results.map(({ properties }) => properties.dealname))
    after = page.paging?.next?.after
    expect(after ?? 'a').not.toMatch(/^\d+$/)
    pages++
  } while (after)
  expect(pages).toBe(3)
  expect(names).toEqual(inputs.map(({ properties }) => properties.dealname))
  expect(await client.crm.deals.getAll(10)).toHaveLength(25)
})

test('pages of a search yield every match once, with the total on each', async () => {
  const inputs = Array.from({ length: 23 }, (_, index) => ({ properties: { dealname: `Deal ${index}`, amount: String(index) }, associations: [] }))
  await client.crm.deals.batchApi.create({ inputs })
  const filterGroups = [{ filters: [filter('amount', 'GTE', '3')] }]
  const found: (string | null | undefined)[] = []
  let after = '0'
  for (;;) {
    const page = await client.crm.deals.searchApi.doSearch({ filterGroups, sorts: ['-amount'], properties: ['amount'], limit: 8, after })
    expect(page.total).toBe(20)
    found.push(...page.results.map(({ properties }) => properties.amount))
    if (!page.paging?.next) break
    after = page.paging.next.after
  }
  expect(found).toEqual(Array.from({ length: 20 }, (_, index) => String(22 - index)))
  const [least] = (await client.crm.deals.searchApi.doSearch({ filterGroups, sorts: ['amount'], limit: 1 })).results
  const { total } = await client.crm.deals.searchApi.doSearch({ filterGroups, sorts: ['amount'], limit: 1 })
  await client.crm.deals.basicApi.archive(least?.id ?? '')
  const page = await client.crm.deals.searchApi.doSearch({ filterGroups, sorts: ['amount'], properties: ['amount'], limit: 1 })
  expect([total, page.total, page.results[0]?.properties.amount]).toEqual([20, 19, '4'])
})

test('a batch is created, read, changed, upserted and archived', async () => {
  const { batchApi } = client.crm.contacts
  const emails = ['one@example.com', 'two@example.com', 'three@example.com']
  const made = await batchApi.create({ inputs: emails.map((email) => ({ properties: { email }, associations: [] })) })
  expect(made.status).toBe('COMPLETE')
  const [one, two, three] = made.results.map(({ id }) => id) as [string, string, string]

  const read = await batchApi.read({ inputs: [{ id: two }, { id: '99' }, { id: one }], properties: ['email'], propertiesWithHistory: [] })
  expect(read.results.map(({ properties }) => properties.email)).toEqual(['two@example.com', 'one@example.com'])
  expect(read).toMatchObject({ numErrors: 1, errors: [{ category: 'OBJECT_NOT_FOUND', context: { ids: ['99'] } }] })
  const byEmail = await batchApi.read({ inputs: [{ id: 'TWO@example.com' }], idProperty: 'email', properties: [], propertiesWithHistory: [] })
  expect(byEmail.results.map(({ id }) => id)).toEqual([two])

  const changed = await batchApi.update({
    inputs: [
      { id: one, properties: { firstname: 'One' } },
      { id: '99', properties: { firstname: 'Nobody' } },
    ],
  })
  expect(changed.results.map(({ properties }) => properties.firstname)).toEqual(['One'])
  expect(changed).toMatchObject({ numErrors: 1 })

  const upserted = await batchApi.upsert({
    inputs: [
      { idProperty: 'email', id: 'two@example.com', properties: { firstname: 'Two' } },
      { idProperty: 'email', id: 'four@example.com', properties: { firstname: 'Four' } },
    ],
  })
  expect(upserted.results.map(({ id, _new, properties }) => [id === two, _new, properties.firstname])).toEqual([
    [true, false, 'Two'],
    [false, true, 'Four'],
  ])

  await batchApi.archive({ inputs: [{ id: three }, { id: '99' }] })
  expect((await client.crm.contacts.getAll()).map(({ properties }) => properties.email)).toEqual(['one@example.com', 'two@example.com', 'four@example.com'])
})

test('a lead has its contact, and a note the lead, from both sides', async () => {
  const contact = await client.crm.contacts.basicApi.create({ properties: ADA, associations: [] })
  const lead = await client.crm.objects.leads.basicApi.create({
    properties: { hs_lead_name: 'Ada', hs_lead_label: 'WARM' },
    associations: primaryContact(contact.id),
  })
  expect(lead.properties).toMatchObject({ hs_pipeline: 'lead-pipeline-id', hs_pipeline_stage: 'new-stage-id' })
  const note = await client.crm.objects.notes.basicApi.create({
    properties: { hs_timestamp: '2026-03-12T10:00:00Z', hs_note_body: 'Called.' },
    associations: [],
  })
  const { v4 } = client.crm.associations
  const linked = await v4.basicApi.createDefault('notes', note.id, 'leads', lead.id)
  expect(linked.results.map(({ associationSpec }) => associationSpec.associationTypeId)).toEqual([855, 854])

  const notes = await v4.basicApi.getPage('leads', lead.id, 'notes')
  expect(notes.results).toMatchObject([{ toObjectId: note.id, associationTypes: [{ category: 'HUBSPOT_DEFINED', typeId: 854 }] }])
  const contacts = await v4.basicApi.getPage('0-136', lead.id, '0-1')
  expect(contacts.results[0]?.associationTypes.map(({ typeId }) => typeId).sort()).toEqual([578, 608])
  const batch = await v4.batchApi.getPage('contacts', 'leads', { inputs: [{ id: contact.id }, { id: '7' }] })
  expect(batch.results.map((one) => [one._from.id, one.to.map(({ toObjectId }) => toObjectId)])).toEqual([[contact.id, [lead.id]]])

  const read = await client.crm.objects.leads.basicApi.getById(lead.id, undefined, undefined, ['contacts', 'notes'])
  expect(read.associations?.notes?.results).toMatchObject([{ id: note.id, type: 'lead_to_note' }])

  const deal = await client.crm.deals.basicApi.create({ properties: { dealname: 'Engine' }, associations: [] })
  const labelled = await v4.basicApi.create('deals', deal.id, 'contacts', contact.id, [
    { associationCategory: 'HUBSPOT_DEFINED' as never, associationTypeId: 3 },
  ])
  expect(labelled).toMatchObject({ fromObjectTypeId: '0-3', toObjectTypeId: '0-1' })
  const found = await client.crm.deals.searchApi.doSearch({ filterGroups: [{ filters: [filter('associations.contact', 'EQ', contact.id)] }], limit: 5 })
  expect(found.results.map(({ id }) => id)).toEqual([deal.id])
  await v4.basicApi.archive('deals', deal.id, 'contacts', contact.id)
  expect((await v4.basicApi.getPage('contacts', contact.id, 'deals')).results).toEqual([])
})

test('associations are read in pages', async () => {
  const contact = await client.crm.contacts.basicApi.create({ properties: ADA, associations: [] })
  const made = await client.crm.deals.batchApi.create({ inputs: Array.from({ length: 5 }, (_, n) => ({ properties: { dealname: `${n}` }, associations: [] })) })
  const inputs = made.results.map(({ id }) => ({ _from: { id }, to: { id: contact.id } }))
  await client.crm.associations.v4.batchApi.createDefault('deals', 'contacts', { inputs })
  const first = await client.crm.associations.v4.basicApi.getPage('contacts', contact.id, 'deals', undefined, 3)
  const second = await client.crm.associations.v4.basicApi.getPage('contacts', contact.id, 'deals', first.paging?.next?.after, 3)
  expect([...first.results, ...second.results].map(({ toObjectId }) => toObjectId)).toEqual(made.results.map(({ id }) => id))
  expect(second.paging).toBeUndefined()
})

test('properties are listed, made and used', async () => {
  const { coreApi } = client.crm.properties
  const names = (await coreApi.getAll('contacts')).results.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['email', 'lifecyclestage', 'hs_lead_status', 'hubspot_owner_id', 'createdate', 'lastmodifieddate']))
  const made = await coreApi.create('contacts', {
    name: 'favourite_number',
    label: 'Favourite number',
    type: 'number' as never,
    fieldType: 'number' as never,
    groupName: 'contactinformation',
  })
  expect(made).toMatchObject({ name: 'favourite_number', hubspotDefined: false })
  const contact = await client.crm.contacts.basicApi.create({ properties: { ...ADA, favourite_number: '7' }, associations: [] })
  expect(contact.properties.favourite_number).toBe('7')
  await expect(coreApi.getByName('contacts', 'nothing')).rejects.toMatchObject({ code: 404 })
})

test('a type of object is made, and has records, searches and notes of its own', async () => {
  const schema = await client.crm.schemas.coreApi.create({
    name: 'boat',
    labels: { singular: 'Boat', plural: 'Boats' },
    properties: [
      { name: 'title', label: 'Title', type: 'string' as never, fieldType: 'text' },
      { name: 'built', label: 'Built', type: 'date' as never, fieldType: 'date' },
      { name: 'hull', label: 'Hull number', type: 'string' as never, fieldType: 'text', hasUniqueValue: true },
    ],
    requiredProperties: ['title'],
    searchableProperties: ['title'],
    primaryDisplayProperty: 'title',
    associatedObjects: ['CONTACT'],
  })
  expect(schema.fullyQualifiedName).toMatch(/^p\d+_boat$/)
  expect(schema.objectTypeId).toMatch(/^2-\d+$/)
  expect((await client.crm.schemas.coreApi.getAll()).results.map(({ name }) => name)).toEqual(['boat'])
  const typeId = schema.objectTypeId as string

  const { basicApi, batchApi, searchApi } = client.crm.objects
  const boat = await basicApi.create('p_boat', { properties: { title: 'Titanic', built: '1912-04-10', hull: '401' }, associations: [] })
  expect((await basicApi.getById(typeId, boat.id, ['title', 'built'])).properties).toMatchObject({ title: 'Titanic', built: '1912-04-10' })
  await expect(basicApi.create(typeId, { properties: { built: '1912-04-10' }, associations: [] })).rejects.toMatchObject({ code: 400 })
  const upserted = await batchApi.upsert(typeId, { inputs: [{ idProperty: 'hull', id: '401', properties: { title: 'Olympic' } }] })
  expect(upserted.results.map(({ id }) => id)).toEqual([boat.id])
  const found = await searchApi.doSearch(schema.fullyQualifiedName as string, { query: 'olym', limit: 10 })
  expect(found.total).toBe(1)

  const note = await client.crm.objects.notes.basicApi.create({ properties: { hs_timestamp: '2026-03-12', hs_note_body: 'Ahoy' }, associations: [] })
  await client.crm.associations.v4.basicApi.createDefault('notes', note.id, typeId, boat.id)
  expect((await client.crm.associations.v4.basicApi.getPage(typeId, boat.id, 'notes')).results).toHaveLength(1)

  await expect(client.crm.schemas.coreApi.archive(typeId)).rejects.toMatchObject({ code: 400 })
  await basicApi.archive(typeId, boat.id)
  await client.crm.schemas.coreApi.archive(typeId)
  await expect(basicApi.getPage(typeId)).rejects.toMatchObject({ code: 400 })
})

test('the pipelines are those of a new account, with texts for booleans', async () => {
  const stagesOf = async (type: string) =>
    (await client.crm.pipelines.pipelinesApi.getAll(type)).results.map(({ id, stages }) => [id, stages.map((one) => one.id)])
  expect(await stagesOf('deals')).toEqual([
    ['default', ['appointmentscheduled', 'qualifiedtobuy', 'presentationscheduled', 'decisionmakerboughtin', 'contractsent', 'closedwon', 'closedlost']],
  ])
  expect(await stagesOf('tickets')).toEqual([['0', ['1', '2', '3', '4']]])
  expect((await stagesOf('leads'))[0]?.[0]).toBe('lead-pipeline-id')
  const won = await client.crm.pipelines.pipelineStagesApi.getById('deals', 'default', 'closedwon')
  expect(won.metadata).toEqual({ isClosed: 'true', probability: '1.0' })
  await client.crm.pipelines.pipelineStagesApi.create('tickets', '0', { label: 'Escalated', displayOrder: 4, metadata: { ticketState: 'OPEN' } })
  expect((await stagesOf('tickets'))[0]?.[1]).toHaveLength(5)
})

test('there is one owner at first, and more can be made', async () => {
  const { ownersApi } = client.crm.owners
  const [first] = (await ownersApi.getPage()).results
  const made = await fetch(`${simulator.url}/crm/v3/owners/`, {
    method: 'POST',
    headers: { authorization: 'Bearer simulator', 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' }),
  })
  expect(made.status).toBe(201)
  const found = await ownersApi.getPage('grace@example.com')
  expect(found.results).toMatchObject([{ firstName: 'Grace', archived: false, type: 'PERSON' }])
  expect(await ownersApi.getById(Number(first?.id))).toMatchObject({ id: first?.id, email: first?.email })
  const page = await ownersApi.getPage(undefined, undefined, 1)
  expect((await ownersApi.getPage(undefined, page.paging?.next?.after, 1)).results.map(({ email }) => email)).toEqual(['grace@example.com'])
})

test('a list takes members by hand and says who joined when', async () => {
  const { listsApi, membershipsApi } = client.crm.lists
  const { list } = await listsApi.create({ name: 'Spring', objectTypeId: '0-1', processingType: 'MANUAL' })
  const made = await client.crm.contacts.batchApi.create({ inputs: ['a', 'b', 'c'].map((firstname) => ({ properties: { firstname }, associations: [] })) })
  const ids = made.results.map(({ id }) => id)
  expect(await membershipsApi.add(list.listId, [...ids, '99'])).toMatchObject({ recordsIdsAdded: ids, recordIdsRemoved: [], recordIdsMissing: ['99'] })
  expect(await membershipsApi.add(list.listId, ids)).toMatchObject({ recordsIdsAdded: [] })
  expect((await listsApi.getById(list.listId)).list).toMatchObject({ name: 'Spring', size: 3, processingType: 'MANUAL' })

  const first = await membershipsApi.getPage(list.listId, undefined, undefined, 2)
  const second = await membershipsApi.getPage(list.listId, first.paging?.next?.after, undefined, 2)
  expect([...first.results, ...second.results].map(({ recordId }) => recordId)).toEqual(ids)
  expect(first.results[0]?.membershipTimestamp).toBeInstanceOf(Date)
  expect(second.paging).toBeUndefined()

  expect(await membershipsApi.remove(list.listId, [ids[0] as string])).toMatchObject({ recordIdsRemoved: [ids[0]] })
  expect((await membershipsApi.getLists('0-1', ids[1] as string)).results.map(({ listId }) => listId)).toEqual([list.listId])
  expect((await membershipsApi.getLists('0-1', ids[0] as string)).results).toEqual([])
  const found = await listsApi.doSearch({ query: 'spr', additionalProperties: ['hs_list_size'] })
  expect(found).toMatchObject({ total: 1, hasMore: false, lists: [{ listId: list.listId, additionalProperties: { hs_list_size: '2' } }] })
  await listsApi.remove(list.listId)
  await expect(listsApi.getById(list.listId)).rejects.toMatchObject({ code: 404 })
})

test('an access token comes from a refresh token and ends after half an hour', async () => {
  const tokens = await client.oauth.tokensApi.create('refresh_token', undefined, undefined, 'simulator', 'simulator', 'simulator')
  expect(tokens).toMatchObject({ expiresIn: 1800, refreshToken: 'simulator' })
  const signedIn = new Client({ accessToken: tokens.accessToken, basePath: simulator.url })
  expect(await signedIn.crm.contacts.basicApi.getPage()).toMatchObject({ results: [] })
  expect(await client.oauth.accessTokensApi.get(tokens.accessToken)).toMatchObject({ token: tokens.accessToken, hubId: expect.any(Number) })
  simulator.advance(1_800_000)
  await expect(signedIn.crm.contacts.basicApi.getPage()).rejects.toMatchObject({ code: 401, body: { category: 'EXPIRED_AUTHENTICATION' } })
  await expect(client.oauth.tokensApi.create('refresh_token', undefined, undefined, 'simulator', 'simulator', 'wrong')).rejects.toMatchObject({ code: 400 })
})

test('the token of a private app says what it may do', async () => {
  const told = (tokenKey: string) =>
    fetch(`${simulator.url}/oauth/v2/private-apps/get/access-token-info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tokenKey }),
    })
  expect(await (await told('simulator')).json()).toMatchObject({
    hubId: expect.any(Number),
    appId: expect.any(Number),
    userId: expect.any(Number),
    scopes: expect.arrayContaining(['crm.objects.contacts.write', 'crm.schemas.custom.write', 'crm.lists.write', 'tickets']),
  })
  expect((await told('another')).status).toBe(404)
})
