import { type Simulator, startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

let simulator: Simulator

beforeAll(async () => {
  simulator = await startSimulator(simulateHubSpot)
})
beforeEach(() => simulator.simulated.reset())
afterAll(() => simulator.close())

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into by hand.
type Answer = { status: number; headers: Headers; body: any; text: string }

async function call(method: string, path: string, body?: unknown, headers: { [name: string]: string } = {}): Promise<Answer> {
  const answer = await fetch(simulator.url + path, {
    method,
    headers: { authorization: 'Bearer simulator', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: text.startsWith('{') ? JSON.parse(text) : undefined }
}

const create = (type: string, properties: object, associations: unknown[] = []) => call('POST', `/crm/v3/objects/${type}`, { properties, associations })
const search = (type: string, body: object) => call('POST', `/crm/v3/objects/${type}/search`, body)
const found = async (type: string, ...filters: object[]) =>
  (await search(type, { filterGroups: [{ filters }], properties: ['dealname', 'firstname'] })).body.results.map(
    ({ properties }: { properties: { dealname?: string; firstname?: string } }) => properties.dealname ?? properties.firstname,
  )

/** What the message says of each property, as the real service hides it in a text. */
const problems = ({ body }: Answer) =>
  JSON.parse(body.message.slice('Property values were not valid: '.length)).map((one: { name: string; error: string }) => [one.name, one.error])

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

describe('writes', () => {
  test('everything that is wrong with the properties is said at once, inside the message and beside it', async () => {
    const refused = await create('contacts', {
      firstname: 'Ada',
      nope: '1',
      email: 'not an email',
      lifecyclestage: 'Lead',
      hubspot_owner_id: '5',
      hs_object_id: '7',
    })
    expect(refused.status).toBe(400)
    expect(refused.body).toMatchObject({ status: 'error', category: 'VALIDATION_ERROR', correlationId: expect.stringMatching(UUID) })
    expect(problems(refused)).toEqual([
      ['nope', 'PROPERTY_DOESNT_EXIST'],
      ['email', 'INVALID_EMAIL'],
      ['lifecyclestage', 'INVALID_OPTION'],
      ['hs_object_id', 'READ_ONLY_VALUE'],
      ['hubspot_owner_id', 'INVALID_OWNER_ID'],
    ])
    expect(refused.body.errors[0]).toEqual({ message: 'Property "nope" does not exist', code: 'PROPERTY_DOESNT_EXIST', context: { propertyName: ['nope'] } })
  })

  test('a contact of which only an unknown property is said is refused for that, and one of which nothing is said for its name', async () => {
    expect(problems(await create('contacts', { nope: '1' }))).toEqual([['nope', 'PROPERTY_DOESNT_EXIST']])
    expect((await create('contacts', { phone: '1' })).body).toMatchObject({ message: expect.stringMatching(/^At least one of the properties/) })
  })

  test.each([
    [{ amount: '1,000' }, 'INVALID_INTEGER'],
    [{ amount: ' 1' }, 'INVALID_WHITESPACE'],
    [{ closedate: 'tomorrow' }, 'INVALID_LONG'],
    [{ closedate: '2026-02-30' }, 'INVALID_LONG'],
    [{ dealtype: 'Newbusiness' }, 'INVALID_OPTION'],
    [{ dealstage: 'registered' }, 'INVALID_OPTION'],
    [{ pipeline: 'another' }, 'INVALID_OPTION'],
    [{ dealname: 'x'.repeat(65_537) }, 'VALUE_TOO_LONG'],
  ])('%j is refused with %s', async (properties, error) => {
    const refused = await create('deals', properties)
    expect(refused.status).toBe(400)
    expect(problems(refused)).toEqual([[Object.keys(properties)[0], error]])
  })

  test.each([
    ['2026-12-31', '2026-12-31T00:00:00Z'],
    ['2026-12-31T10:00:00+02:00', '2026-12-31T08:00:00Z'],
    ['2026-12-31T08:00:00.120Z', '2026-12-31T08:00:00.120Z'],
    [1798704000000, '2026-12-31T08:00:00Z'],
  ])('a time sent as %s comes back as %s', async (sent, kept) => {
    expect((await create('deals', { dealname: 'x', closedate: sent })).body.properties.closedate).toBe(kept)
  })

  test('an email belongs to one contact, whatever its case, until the contact is archived', async () => {
    const { body: ada } = await create('contacts', { email: 'Ada@Example.com' })
    const again = await create('contacts', { email: 'ada@example.COM' })
    expect([again.status, again.body.category, again.body.message]).toEqual([409, 'CONFLICT', `Contact already exists. Existing ID: ${ada.id}`])
    const { body: grace } = await create('contacts', { email: 'grace@example.com' })
    expect((await call('PATCH', `/crm/v3/objects/contacts/${grace.id}`, { properties: { email: 'ada@example.com' } })).status).toBe(409)
    expect((await call('PATCH', `/crm/v3/objects/contacts/${ada.id}`, { properties: { email: 'ADA@example.com' } })).status).toBe(200)
    expect((await call('DELETE', `/crm/v3/objects/contacts/${ada.id}`)).status).toBe(204)
    expect((await create('contacts', { email: 'ada@example.com' })).status).toBe(201)
  })

  test('what is required is required', async () => {
    expect((await create('tickets', { subject: 'x' })).body).toMatchObject({ category: 'VALIDATION_ERROR', context: { properties: ['hs_pipeline_stage'] } })
    expect((await create('tickets', { subject: 'x', hs_pipeline_stage: '1' })).body.properties.hs_pipeline).toBe('0')
    expect((await create('notes', { hs_note_body: 'x' })).body.context).toEqual({ properties: ['hs_timestamp'] })
    expect((await create('contacts', { phone: '1' })).status).toBe(400)
    expect((await create('leads', { hs_lead_name: 'x' })).status).toBe(400)
    const missing = [{ to: { id: '42' }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 578 }] }]
    expect((await create('leads', { hs_lead_name: 'x' }, missing)).body.message).toBe('One or more associations are invalid')
    expect((await call('POST', '/crm/v3/objects/deals', {})).body.message).toContain('Some required fields were not set: [properties]')
  })

  test('a deal may leave the associations out, and a wrong way round is refused', async () => {
    expect((await call('POST', '/crm/v3/objects/deals', { properties: { dealname: 'x' } })).status).toBe(201)
    const { body: contact } = await create('contacts', { firstname: 'Ada' })
    const wrong = [{ to: { id: contact.id }, types: [{ associationCategory: 'HUBSPOT_DEFINED', associationTypeId: 4 }] }]
    expect((await create('deals', { dealname: 'x' }, wrong)).body.message).toBe('invalid from object type 0-3 for associations to be created. expected: 0-1')
  })

  test('nothing to change, nobody to change, and nobody to delete', async () => {
    const { body: deal } = await create('deals', { dealname: 'x' })
    expect((await call('PATCH', `/crm/v3/objects/deals/${deal.id}`, { properties: {} })).body.message).toBe(
      'No properties found to update, please provide at least one.',
    )
    expect((await call('PATCH', '/crm/v3/objects/deals/42', { properties: { dealname: 'y' } })).body).toEqual({
      status: 'error',
      message: 'resource not found',
      correlationId: expect.stringMatching(UUID),
    })
    expect((await call('GET', '/crm/v3/objects/deals/abc')).body.category).toBe('OBJECT_NOT_FOUND')
    const gone = await call('DELETE', '/crm/v3/objects/deals/123456789')
    expect([gone.status, gone.text]).toEqual([204, ''])
  })

  test('a batch without names for its inputs is all or nothing; with them each stands for itself', async () => {
    const wrong = { properties: { dealname: 'b', amount: 'much' } }
    expect((await call('POST', '/crm/v3/objects/deals/batch/create', { inputs: [{ properties: { dealname: 'a' } }, wrong] })).status).toBe(400)
    expect((await search('deals', {})).body.total).toBe(0)
    const inputs = [
      { objectWriteTraceId: 'one', properties: { dealname: 'a' } },
      { objectWriteTraceId: 'two', ...wrong },
    ]
    const partly = await call('POST', '/crm/v3/objects/deals/batch/create', { inputs })
    expect(partly.status).toBe(207)
    expect(partly.body).toMatchObject({
      status: 'COMPLETE',
      numErrors: 1,
      results: [{ objectWriteTraceId: 'one' }],
      errors: [{ category: 'VALIDATION_ERROR', context: { objectWriteTraceId: ['two'] } }],
    })
    const twice = await call('POST', '/crm/v3/objects/contacts/batch/create', {
      inputs: [{ properties: { email: 'a@b.co' } }, { properties: { email: 'A@b.co' } }],
    })
    expect(twice.status).toBe(409)
    const many = await call('POST', '/crm/v3/objects/deals/batch/create', { inputs: Array.from({ length: 101 }, () => ({ properties: { dealname: 'x' } })) })
    expect(many.status).toBe(400)
  })
})

describe('searches', () => {
  beforeEach(async () => {
    const deals = [
      { dealname: 'Alpha One', amount: '5', closedate: '2026-01-01', dealtype: 'newbusiness' },
      { dealname: 'beta two', amount: '10', closedate: '2026-02-01' },
      { dealname: 'Gamma one', amount: '100' },
    ]
    expect((await call('POST', '/crm/v3/objects/deals/batch/create', { inputs: deals.map((properties) => ({ properties })) })).status).toBe(201)
  })

  test.each([
    [['dealname', 'EQ', 'ALPHA one'], ['Alpha One']],
    [
      ['dealname', 'NEQ', 'alpha one'],
      ['beta two', 'Gamma one'],
    ],
    [
      ['amount', 'GT', '5'],
      ['beta two', 'Gamma one'],
    ],
    [
      ['amount', 'LTE', '10'],
      ['Alpha One', 'beta two'],
    ],
    [['closedate', 'LT', '2026-01-15'], ['Alpha One']],
    [['closedate', 'GTE', String(Date.UTC(2026, 1, 1))], ['beta two']],
    [
      ['closedate', 'HAS_PROPERTY'],
      ['Alpha One', 'beta two'],
    ],
    [['closedate', 'NOT_HAS_PROPERTY'], ['Gamma one']],
    [
      ['dealname', 'CONTAINS_TOKEN', 'one'],
      ['Alpha One', 'Gamma one'],
    ],
    [['dealname', 'CONTAINS_TOKEN', 'al*'], ['Alpha One']],
    [['dealname', 'CONTAINS_TOKEN', 'on'], []],
    [
      ['dealname', 'NOT_CONTAINS_TOKEN', '*two'],
      ['Alpha One', 'Gamma one'],
    ],
    [['dealtype', 'EQ', 'NEWBUSINESS'], []],
  ])('%j finds %j', async ([propertyName, operator, value], names) => {
    expect(await found('deals', { propertyName, operator, ...(value !== undefined && { value }) })).toEqual(names)
  })

  test('between takes both ends, and a list of texts is matched in lower case only', async () => {
    expect(await found('deals', { propertyName: 'amount', operator: 'BETWEEN', value: '5', highValue: '10' })).toEqual(['Alpha One', 'beta two'])
    expect(await found('deals', { propertyName: 'dealname', operator: 'IN', values: ['alpha one', 'Beta Two'] })).toEqual(['Alpha One'])
    expect(await found('deals', { propertyName: 'amount', operator: 'NOT_IN', values: ['5', '100.0'] })).toEqual(['beta two'])
  })

  test('groups are alternatives, and words are looked for everywhere', async () => {
    const filterGroups = ['5', '100'].map((value) => ({ filters: [{ propertyName: 'amount', operator: 'EQ', value }] }))
    expect((await search('deals', { filterGroups })).body.total).toBe(2)
    expect((await search('deals', { filterGroups, query: 'GAMM' })).body.total).toBe(1)
  })

  test('what has no value is sorted last, in both directions', async () => {
    const order = async (sort: unknown) =>
      (await search('deals', { sorts: [sort] })).body.results.map((one: { properties: { dealname: string } }) => one.properties.dealname)
    expect(await order('closedate')).toEqual(['Alpha One', 'beta two', 'Gamma one'])
    expect(await order({ propertyName: 'closedate', direction: 'DESCENDING' })).toEqual(['beta two', 'Alpha One', 'Gamma one'])
  })

  const equal = { propertyName: 'amount', operator: 'EQ', value: '1' }
  test.each([
    ['a limit over 200', { limit: 201 }],
    ['a place behind the first 10,000', { after: '10000', limit: 1 }],
    ['a page that reaches behind the first 10,000', { after: '9900', limit: 200 }],
    ['a place that is none', { after: 'abc' }],
    ['an unknown property', { filterGroups: [{ filters: [{ ...equal, propertyName: 'nope' }] }] }],
    ['an unknown operator', { filterGroups: [{ filters: [{ ...equal, operator: 'toString' }] }] }],
    ['a number that is none', { filterGroups: [{ filters: [{ ...equal, value: 'much' }] }] }],
    ['no value', { filterGroups: [{ filters: [{ propertyName: 'amount', operator: 'EQ' }] }] }],
    ['seven groups', { filterGroups: Array.from({ length: 7 }, () => ({ filters: [equal] })) }],
    ['seven filters in a group', { filterGroups: [{ filters: Array.from({ length: 7 }, () => equal) }] }],
    ['nineteen filters', { filterGroups: [6, 6, 6, 1].map((length) => ({ filters: Array.from({ length }, () => equal) })) }],
    ['two sorts', { sorts: ['amount', 'dealname'] }],
    ['a sort by nothing', { sorts: ['nope'] }],
    ['more than 3,000 characters', { query: 'x'.repeat(3000) }],
  ])('%s is refused', async (_what, body) => {
    const refused = await search('deals', body)
    expect([refused.status, refused.body.category]).toEqual([400, 'VALIDATION_ERROR'])
  })
})

describe('the wire', () => {
  test('without a token, or with another, nothing is answered', async () => {
    for (const authorization of ['', 'Bearer nobody', 'Basic c2ltdWxhdG9y']) {
      const refused = await call('GET', '/crm/v3/objects/contacts', undefined, { authorization })
      expect([refused.status, refused.body.category]).toEqual([401, 'INVALID_AUTHENTICATION'])
    }
  })

  test('every version and every name of a type lead to the same records', async () => {
    const { body: deal } = await create('deals', { dealname: 'x' })
    for (const path of ['/crm/v3/objects/0-3', '/crm/objects/2026-03/0-3', '/crm/objects/2026-03/deals', '/crm/v3/objects/deal', '/crm/objects/v3/DEAL']) {
      expect((await call('GET', `${path}/${deal.id}`)).body.id).toBe(deal.id)
    }
  })

  test('paths, methods and types that there are not', async () => {
    const lost = await call('GET', '/crm/v3/nothing/here')
    expect([lost.status, lost.headers.get('content-type')]).toEqual([404, 'text/html;charset=utf-8'])
    expect((await call('GET', '/%zz')).status).toBe(404)
    expect((await call('PUT', '/crm/v3/objects/deals')).status).toBe(405)
    const widgets = await call('GET', '/crm/v3/objects/widgets')
    expect([widgets.status, widgets.body.message]).toEqual([400, 'Unable to infer object type from: widgets'])
  })

  test('bodies that are none of what is expected are refused, and nothing breaks', async () => {
    const bodies = [
      '',
      '{',
      '[]',
      'null',
      '1',
      '"x"',
      '{"properties":1}',
      '{"properties":{"dealname":{}}}',
      '{"properties":{"__proto__":"x"}}',
      '{"properties":{"dealname":"x"},"associations":{}}',
    ]
    for (const body of bodies) {
      expect([body, (await call('POST', '/crm/v3/objects/deals', body, { 'content-type': 'application/json' })).status]).toEqual([body, 400])
    }
    for (const path of ['create', 'read', 'update', 'upsert', 'archive']) {
      for (const body of ['[]', '{}', '{"inputs":{}}', '{"inputs":[1]}', '{"inputs":[{"id":{}}]}']) {
        expect([path, body, (await call('POST', `/crm/v3/objects/deals/batch/${path}`, body)).status]).toEqual([path, body, 400])
      }
    }
    for (const body of [
      '[]',
      '{"filterGroups":{}}',
      '{"filterGroups":[1]}',
      '{"filterGroups":[{"filters":[[]]}]}',
      '{"sorts":[{}]}',
      '{"limit":{}}',
      '{"properties":[{}]}',
    ]) {
      expect([body, (await call('POST', '/crm/v3/objects/deals/search', body)).status]).toEqual([body, 400])
    }
    expect((await call('POST', '/crm/v3/objects/deals', 'properties=x', { 'content-type': 'text/plain' })).status).toBe(415)
  })

  test('no body makes any path answer with a failure of its own', async () => {
    const { body: deal } = await create('deals', { dealname: 'x' })
    const { body: made } = await call('POST', '/crm/v3/lists', { name: 'x', objectTypeId: '0-3', processingType: 'MANUAL' })
    const objects = ['objects/deals', `objects/deals/${deal.id}`, 'objects/deals/search', 'objects/deals/merge', 'objects/contacts/gdpr-delete']
    const batches = ['create', 'read', 'update', 'upsert', 'archive'].map((one) => `objects/deals/batch/${one}`)
    const links = ['read', 'create', 'archive', 'associate/default', 'labels/archive'].map((one) => `associations/deals/contacts/batch/${one}`)
    const others = [
      'properties/deals',
      'properties/deals/groups',
      'schemas',
      'pipelines/deals',
      'pipelines/deals/default/stages',
      'owners',
      'lists',
      'lists/search',
    ]
    const members = ['add', 'remove', 'add-and-remove'].map((one) => `lists/${made.list.listId}/memberships/${one}`)
    const paths = [...objects, ...batches, ...links, ...others, ...members, `objects/deals/${deal.id}/associations/contacts/1`]
    const junk = [null, 0, '', 'x', [], [null], [[]], {}, { a: 1 }]
    const bodies = [
      ...junk,
      ...junk.flatMap((one) => ['properties', 'inputs', 'filterGroups', 'labels', 'stages'].map((name) => ({ [name]: one }))),
      { inputs: [{ id: 1, from: [], to: null }] },
    ]
    for (const path of paths) {
      const method = path.includes('memberships') || path.endsWith('contacts/1') ? 'PUT' : path.endsWith(deal.id) ? 'PATCH' : 'POST'
      const statuses = await Promise.all(bodies.map(async (body) => (await call(method, `/crm/v4/${path}`, body)).status))
      expect([method, path, statuses.filter((status) => status >= 500 || status === 405)]).toEqual([method, path, []])
    }
  })

  test('pages have their bounds', async () => {
    for (const query of ['limit=101', 'limit=0', 'limit=-1', 'limit=x', 'after=zzz', 'after=12']) {
      expect([query, (await call('GET', `/crm/v3/objects/deals?${query}`)).status]).toEqual([query, 400])
    }
  })

  test('headers say what is left, except on searches', async () => {
    const { headers } = await call('GET', '/crm/v3/objects/deals')
    const [max, left] = ['Max', 'Remaining'].map((name) => Number(headers.get(`X-HubSpot-RateLimit-${name}`)))
    expect(left).toBeLessThan(Number(max))
    expect(headers.get('X-HubSpot-RateLimit-Interval-Milliseconds')).toBe('10000')
    expect(Number(headers.get('X-HubSpot-RateLimit-Daily-Remaining'))).toBeLessThan(Number(headers.get('X-HubSpot-RateLimit-Daily')))
    expect((await search('deals', {})).headers.get('X-HubSpot-RateLimit-Max')).toBeNull()
  })

  test('properties and schemas are named and described as they must be', async () => {
    const one = { name: 'x', label: 'X', type: 'string', fieldType: 'text', groupName: 'dealinformation' }
    for (const wrong of [
      { name: '1x' },
      { name: 'X' },
      { name: 'x-y' },
      { type: 'text' },
      { fieldType: 'number' },
      { groupName: 'nope' },
      { type: 'enumeration', fieldType: 'select' },
    ]) {
      expect([wrong, (await call('POST', '/crm/v3/properties/deals', { ...one, ...wrong })).status]).toEqual([wrong, 400])
    }
    expect((await call('POST', '/crm/v3/properties/deals', { ...one, name: 'constructor' })).status).toBe(201)
    expect((await create('deals', { dealname: 'x' })).body.properties).not.toHaveProperty('constructor')
    expect((await call('POST', '/crm/v3/properties/deals', one)).status).toBe(201)
    expect((await call('POST', '/crm/v3/properties/deals', one)).status).toBe(409)
    const schema = { name: 'boat', labels: {}, properties: [one], requiredProperties: ['x'], associatedObjects: [] }
    expect((await call('POST', '/crm/v3/schemas', { name: 'boat' })).body.message).toContain('[labels, properties, requiredProperties, associatedObjects]')
    expect((await call('POST', '/crm/v3/schemas', { ...schema, requiredProperties: ['y'] })).status).toBe(400)
    expect((await call('POST', '/crm/v3/schemas', schema)).status).toBe(201)
    expect((await call('POST', '/crm/v3/schemas', schema)).status).toBe(409)
  })

  test('the account says who it is and what it has used', async () => {
    expect((await call('GET', '/account-info/v3/details')).body).toMatchObject({ portalId: expect.any(Number), timeZone: 'UTC' })
    expect((await call('GET', '/account-info/v3/api-usage/daily/private-apps')).body.results[0]).toMatchObject({ currentUsage: 2, fetchStatus: 'SUCCESS' })
  })
})
