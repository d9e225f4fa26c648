import { describe, expect, it } from 'vitest'
import { salesforce } from './salesforce-client.ts'

const { send, id, query } = salesforce()

interface Wrong {
  readonly message: string
  readonly errorCode: string
  readonly fields?: readonly string[]
}

/** The status and the one thing that is wrong. */
async function refused(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Wrong & { readonly status: number }> {
  const answer = await send<readonly Wrong[]>(method, path, body, headers)
  expect(answer.body).toHaveLength(1)
  return { status: answer.status, ...(answer.body[0] as Wrong) }
}

const read = async (object: string, at: string) => (await send<{ readonly [field: string]: unknown }>('GET', `/sobjects/${object}/${at}`)).body

const LEAD = { LastName: 'Hopper', Company: 'Navy' }

describe('records', () => {
  it('are created with 201, read, changed with 204 and deleted with 204, both without a body', async () => {
    const made = await send<{ readonly id: string }>('POST', '/sobjects/Lead/', LEAD)
    expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^00Q/), success: true, errors: [] } })
    expect(made.headers.get('sforce-limit-info')).toMatch(/^api-usage=\d+\/15000$/)
    expect(made.headers.get('content-type')).toBe('application/json;charset=UTF-8')
    const path = `/sobjects/Lead/${made.body.id}`
    expect(await send('PATCH', path, { Rating: 'Hot' })).toMatchObject({ status: 204, body: '' })
    const { body } = await send('GET', `${path}?fields=Rating,Owner.Name`)
    expect(body).toMatchObject({ Id: made.body.id, Rating: 'Hot', Owner: { Name: 'Integration User' } })
    expect(body).not.toHaveProperty('LastName')
    expect(await send('DELETE', path)).toMatchObject({ status: 204, body: '' })
    for (const method of ['GET', 'DELETE', 'PATCH']) {
      expect(await refused(method, path, method === 'PATCH' ? {} : undefined)).toMatchObject({
        status: 404,
        errorCode: 'ENTITY_IS_DELETED',
        message: 'entity is deleted',
      })
    }
  })

  it('are written as the CRM keeps them', async () => {
    const at = await id('Lead', {
      lastname: '  Hopper\n',
      Company: ' Navy ',
      FirstName: '',
      Email: 'grace@navy.example',
      AnnualRevenue: '12.5',
      Street: '1 Main',
      City: 'Rome',
    })
    expect(await read('Lead', at)).toMatchObject({
      LastName: 'Hopper',
      Company: 'Navy',
      FirstName: null,
      Name: 'Hopper',
      Email: 'grace@navy.example',
      AnnualRevenue: 13,
      Address: { city: 'Rome', street: '1 Main', country: null },
    })
    const deal = { Name: 'Deal', StageName: 'Unheard Of', CloseDate: '2026-05-06', Amount: 1.005 }
    const opportunity = await id('Opportunity', deal)
    expect(await read('Opportunity', opportunity)).toMatchObject({ Amount: 1.01, StageName: 'Unheard Of', IsClosed: false, Probability: 0, FiscalQuarter: 2 })
    await send('PATCH', `/sobjects/Opportunity/${opportunity}`, { StageName: 'Closed Won' })
    expect(await read('Opportunity', opportunity)).toMatchObject({
      IsClosed: true,
      IsWon: true,
      Probability: 100,
      ExpectedRevenue: 1.01,
      ForecastCategory: 'Closed',
    })
  })

  it.each([
    ['Lead', { Company: ' ' }, 'REQUIRED_FIELD_MISSING', 'Required fields are missing: [LastName, Company]', ['LastName', 'Company']],
    ['Lead', { ...LEAD, Foo: 1 }, 'INVALID_FIELD', "No such column 'Foo' on sobject of type Lead", undefined],
    ['Lead', { ...LEAD, CreatedDate: null }, 'INVALID_FIELD_FOR_INSERT_UPDATE', 'Unable to create/update fields: CreatedDate.', ['CreatedDate']],
    ['Lead', { ...LEAD, Id: '00Q000000000001AAA' }, 'INVALID_FIELD_FOR_INSERT_UPDATE', 'cannot specify Id in an insert call', ['Id']],
    ['Lead', { ...LEAD, LastName: 'x'.repeat(81) }, 'STRING_TOO_LONG', '(max length=80)', ['LastName']],
    ['Lead', { ...LEAD, Email: 'a@b' }, 'INVALID_EMAIL_ADDRESS', 'Email: invalid email address: a@b', ['Email']],
    [
      'Lead',
      { ...LEAD, GeocodeAccuracy: 'Nearly' },
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      'bad value for restricted picklist field: Nearly',
      ['GeocodeAccuracy'],
    ],
    ['Lead', { ...LEAD, OwnerId: 'nobody' }, 'MALFORMED_ID', 'Owner ID: id value of incorrect type: nobody', ['OwnerId']],
    ['Lead', { ...LEAD, OwnerId: '005000000000009AAA' }, 'INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', []],
    ['Lead', { ...LEAD, IsUnreadByOwner: 'perhaps' }, 'JSON_PARSER_ERROR', 'Cannot deserialize instance of boolean from VALUE_STRING value perhaps', undefined],
    ['Lead', { ...LEAD, Title: ['x'] }, 'JSON_PARSER_ERROR', 'from START_ARRAY value [', undefined],
    ['Lead', { ...LEAD, NumberOfEmployees: 1.5 }, 'JSON_PARSER_ERROR', 'from VALUE_NUMBER_FLOAT value 1.5', undefined],
    ['Opportunity', { Name: 'x', StageName: 'y', CloseDate: '2026-02-30' }, 'JSON_PARSER_ERROR', 'Cannot deserialize instance of date', undefined],
    [
      'Opportunity',
      { Name: 'x', StageName: 'y', CloseDate: '2026-02-03', Amount: 1e17 },
      'NUMBER_OUTSIDE_VALID_RANGE',
      'Amount: value outside of valid range',
      ['Amount'],
    ],
    ['Note', { Title: 'x', ParentId: '500000000000001AAA' }, 'FIELD_INTEGRITY_EXCEPTION', 'Parent ID: id value of incorrect type', ['ParentId']],
    ['CampaignMember', {}, 'REQUIRED_FIELD_MISSING', 'Required fields are missing: [CampaignId]', ['CampaignId']],
    ['Profile', { Name: 'x' }, 'INVALID_TYPE_FOR_OPERATION', 'entity type cannot be inserted: Profile', []],
  ])('%s refuses %j', async (object, fields, errorCode, message, named) => {
    expect(await refused('POST', `/sobjects/${object}`, fields)).toEqual({
      status: 400,
      errorCode,
      message: expect.stringContaining(message),
      ...(named && { fields: named }),
    })
  })

  it('refuses what makes no sense of one that is there', async () => {
    const at = await id('Lead', LEAD)
    expect(await refused('PATCH', `/sobjects/Lead/${at}`, { LastName: null })).toMatchObject({ errorCode: 'REQUIRED_FIELD_MISSING', fields: ['LastName'] })
    expect(await refused('PATCH', `/sobjects/Lead/${at}`, { Id: at })).toMatchObject({ errorCode: 'INVALID_FIELD' })
    expect(await refused('PATCH', `/sobjects/Lead/${at}`, { OwnerId: null })).toMatchObject({ errorCode: 'INVALID_CROSS_REFERENCE_KEY', fields: ['OwnerId'] })
    expect(await refused('GET', `/sobjects/Lead/${at}?fields=Foo`)).toMatchObject({ status: 400, errorCode: 'INVALID_FIELD' })
    expect(await refused('GET', '/sobjects/Lead/00Q000000000009AAA')).toEqual({
      status: 404,
      errorCode: 'NOT_FOUND',
      message: 'The requested resource does not exist',
    })
    expect(await refused('GET', '/sobjects/Lead/what')).toMatchObject({
      status: 404,
      message: 'Provided external ID field does not exist or is not accessible: what',
    })
    expect(await refused('PUT', `/sobjects/Lead/${at}`, {})).toMatchObject({ status: 405, errorCode: 'METHOD_NOT_ALLOWED' })
    const old = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect(await refused('PATCH', `/sobjects/Lead/${at}`, { Rating: 'Hot' }, old)).toMatchObject({ status: 412 })
    const modified = (await send('GET', `/sobjects/Lead/${at}`)).headers.get('last-modified') ?? ''
    expect((await send('GET', `/sobjects/Lead/${at}`, undefined, { 'if-modified-since': modified })).status).toBe(304)
  })

  it('refuses what cannot be read', async () => {
    expect(await refused('POST', '/sobjects/Lead', '{"LastName": }')).toMatchObject({ status: 400, errorCode: 'JSON_PARSER_ERROR' })
    expect(await refused('POST', '/sobjects/Lead', '[]')).toMatchObject({ status: 400, errorCode: 'JSON_PARSER_ERROR' })
    expect(await refused('POST', '/sobjects/Lead', 'null')).toMatchObject({ status: 400, errorCode: 'JSON_PARSER_ERROR' })
    expect(await refused('POST', '/sobjects/Lead', '')).toMatchObject({ status: 400, errorCode: 'JSON_PARSER_ERROR' })
    expect(await refused('POST', '/sobjects/Lead', '{}', { 'content-type': 'text/plain' })).toMatchObject({ status: 415 })
    expect(await refused('POST', '/sobjects/Nothing', {})).toMatchObject({ status: 404, errorCode: 'NOT_FOUND' })
    expect(await refused('GET', '/nothing/at/all')).toMatchObject({ status: 404, errorCode: 'NOT_FOUND' })
    expect(await refused('GET', '/sobjects/Lead/%E0%A4%A')).toMatchObject({ status: 404 })
    expect(await refused('GET', '/query')).toMatchObject({ status: 400, errorCode: 'MALFORMED_QUERY' })
    expect(await refused('POST', '/composite/sobjects', { records: 5 })).toMatchObject({ status: 400, errorCode: 'JSON_PARSER_ERROR' })
    const proto = await send('POST', '/sobjects/Lead', '{"LastName":"a","Company":"b","__proto__":{"x":1}}')
    expect(proto.status).toBe(400)
    expect((await send('GET', '/services/data/v1.0/sobjects/constructor/describe')).status).toBe(404)
  })
})

describe('users', () => {
  it('are made, own records and may be switched off', async () => {
    const user = await id('User', { Username: 'Owner@navy.example', LastName: 'Owner', Email: 'owner@navy.example', Alias: 'own' })
    expect(await read('User', user)).toMatchObject({ Name: 'Owner', Username: 'owner@navy.example', IsActive: true, ProfileId: expect.stringMatching(/^00e/) })
    const owned = await id('Lead', { ...LEAD, OwnerId: user })
    expect(await read('Lead', owned)).toMatchObject({ OwnerId: user })
    expect(await refused('POST', '/sobjects/User', { Username: 'OWNER@navy.example', LastName: 'x' })).toMatchObject({ errorCode: 'DUPLICATE_USERNAME' })
    expect((await send('PATCH', `/sobjects/User/${user}`, { IsActive: false })).status).toBe(204)
    expect(await refused('POST', '/sobjects/Lead', { ...LEAD, OwnerId: user })).toMatchObject({ errorCode: 'INACTIVE_OWNER_OR_USER' })
    expect(await refused('DELETE', `/sobjects/User/${user}`)).toMatchObject({ errorCode: 'INVALID_TYPE_FOR_OPERATION' })
  })
})

describe('what hangs on a record', () => {
  it('comments on cases, which are numbered and closed', async () => {
    const at = await id('Case', { Comments: 'internal' })
    const other = await id('Case', {})
    const [first, second] = await Promise.all([at, other].map((one) => read('Case', one)))
    expect(first).toMatchObject({
      CaseNumber: expect.stringMatching(/^\d{8}$/),
      Status: 'New',
      Priority: 'Medium',
      IsClosed: false,
      ClosedDate: null,
      Comments: null,
    })
    expect(Number(second?.CaseNumber)).toBe(Number(first?.CaseNumber) + 1)
    const comment = await id('CaseComment', { ParentId: at, CommentBody: 'é'.repeat(2000), IsPublished: true })
    expect(await refused('POST', '/sobjects/CaseComment', { ParentId: at, CommentBody: `${'é'.repeat(2000)}x` })).toMatchObject({
      errorCode: 'STRING_TOO_LONG',
      fields: ['CommentBody'],
    })
    expect((await query('SELECT CommentBody FROM CaseComment ORDER BY Id')).records).toMatchObject([{ CommentBody: 'internal' }, {}])
    await send('PATCH', `/sobjects/Case/${at}`, { Status: 'Closed' })
    expect(await read('Case', at)).toMatchObject({ IsClosed: true, ClosedDate: expect.any(String) })
    await send('DELETE', `/sobjects/Case/${at}`)
    expect(await refused('GET', `/sobjects/CaseComment/${comment}`)).toMatchObject({ errorCode: 'ENTITY_IS_DELETED' })
  })

  it('makes leads members of campaigns, once each', async () => {
    const [lead, campaign] = [await id('Lead', LEAD), await id('Campaign', { Name: 'Autumn' })]
    await id('CampaignMember', { LeadId: lead, CampaignId: campaign, Status: 'Responded' })
    expect(await refused('POST', '/sobjects/CampaignMember', { LeadId: lead, CampaignId: campaign })).toEqual({
      status: 400,
      message: 'Already a campaign member.',
      errorCode: 'DUPLICATE_VALUE',
      fields: [],
    })
    expect(await read('Campaign', campaign)).toMatchObject({ NumberOfLeads: 1, NumberOfResponses: 1 })
    await send('DELETE', `/sobjects/Lead/${lead}`)
    expect(await read('Campaign', campaign)).toMatchObject({ NumberOfLeads: 0, NumberOfResponses: 0 })
  })

  it('has notes of both kinds', async () => {
    const lead = await id('Lead', LEAD)
    const note = await id('Note', { ParentId: lead, Title: 'Call', Body: 'called them' })
    expect(await read('Note', note)).toMatchObject({ Title: 'Call', IsPrivate: false })
    const content = await id('ContentNote', { Title: 'Call', Content: Buffer.from('called them').toString('base64') })
    await id('ContentDocumentLink', { ContentDocumentId: content, LinkedEntityId: lead, ShareType: 'V', Visibility: 'AllUsers' })
    const { records } = await query(`SELECT ContentDocument.Title FROM ContentDocumentLink WHERE LinkedEntityId = '${lead}'`)
    expect(records).toMatchObject([{ ContentDocument: { Title: 'Call' } }])
    const { Content } = await read('ContentNote', content)
    expect((await send('GET', String(Content))).body).toBe('called them')
    await send('DELETE', `/sobjects/Lead/${lead}`)
    expect(await refused('GET', `/sobjects/Note/${note}`)).toMatchObject({ errorCode: 'ENTITY_IS_DELETED' })
  })
})

describe('several at once', () => {
  it('tells what is wrong with each in its place', async () => {
    const records = [{ attributes: { type: 'Lead' }, ...LEAD }, { ...LEAD }, { attributes: { type: 'Nothing' } }, 5]
    const { status, body } = await send<readonly { readonly success: boolean; readonly errors: readonly { readonly statusCode: string }[] }[]>(
      'POST',
      '/composite/sobjects',
      { records },
    )
    expect(status).toBe(200)
    expect(body.map(({ success, errors }) => errors[0]?.statusCode ?? success)).toEqual([true, 'JSON_PARSER_ERROR', 'INVALID_TYPE', 'JSON_PARSER_ERROR'])
    const late = [{ LastName: 'x', attributes: { type: 'Lead' }, Company: 'y' }]
    expect((await send('POST', '/composite/sobjects', { records: late })).body).toMatchObject([{ errors: [{ statusCode: 'JSON_PARSER_ERROR' }] }])
    expect(await refused('POST', '/composite/sobjects', { records: Array(201).fill(records[0]) })).toMatchObject({ errorCode: 'EXCEEDED_ID_LIMIT' })
    expect((await send('DELETE', '/composite/sobjects?ids=00Q000000000009AAA&allOrNone=false')).body).toEqual([
      { success: false, errors: [{ statusCode: 'INVALID_CROSS_REFERENCE_KEY', message: 'invalid cross reference id', fields: [] }] },
    ])
  })

  it('carries out requests that refer to each other, or none of them', async () => {
    const make = (fields: object) => ({ method: 'POST', url: '/services/data/v66.0/sobjects/Lead', referenceId: 'lead', body: fields })
    const note = { method: 'POST', url: '/services/data/v66.0/sobjects/Note', referenceId: 'note', body: { Title: 'x', ParentId: '@{lead.id}' } }
    const done = await send<never>('POST', '/composite', { allOrNone: true, compositeRequest: [make(LEAD), note] })
    expect(done.body).toMatchObject({
      compositeResponse: [
        { httpStatusCode: 201, httpHeaders: { Location: expect.any(String) } },
        { httpStatusCode: 201, body: { success: true } },
      ],
    })
    const before = (await query('SELECT COUNT() FROM Lead')).totalSize
    const failed = await send<never>('POST', '/composite', { allOrNone: true, compositeRequest: [make(LEAD), { ...note, body: { ParentId: '@{lead.id}' } }] })
    expect(failed.body).toMatchObject({
      compositeResponse: [{ httpStatusCode: 400, body: [{ errorCode: 'PROCESSING_HALTED' }] }, { body: [{ errorCode: 'REQUIRED_FIELD_MISSING' }] }],
    })
    expect((await query('SELECT COUNT() FROM Lead')).totalSize).toBe(before)
    const loose = await send<never>('POST', '/composite', {
      compositeRequest: [make({}), note, { method: 'GET', url: '/services/data/v66.0/what', referenceId: 'x' }],
    })
    expect(loose.body).toMatchObject({
      compositeResponse: [{ httpStatusCode: 400 }, { body: [{ errorCode: 'PROCESSING_HALTED' }] }, { httpStatusCode: 404, body: [{ errorCode: 'NOT_FOUND' }] }],
    })
  })

  it('takes batches and trees', async () => {
    const batch = {
      batchRequests: [
        { method: 'GET', url: 'v66.0/limits' },
        { method: 'GET', url: 'v66.0/sobjects/Lead/00Q000000000009AAA' },
      ],
    }
    expect((await send('POST', '/composite/batch', batch)).body).toMatchObject({ hasErrors: true, results: [{ statusCode: 200 }, { statusCode: 404 }] })
    const tree = {
      records: [
        {
          attributes: { type: 'Account', referenceId: 'a' },
          Name: 'Navy',
          Contacts: { records: [{ attributes: { type: 'Contact', referenceId: 'c' }, LastName: 'x' }] },
        },
      ],
    }
    expect(await send('POST', '/composite/tree/Account', tree)).toMatchObject({
      status: 201,
      body: { hasErrors: false, results: [{ referenceId: 'a' }, { referenceId: 'c' }] },
    })
    expect((await query("SELECT Id FROM Contact WHERE Account.Name = 'Navy'")).totalSize).toBe(1)
  })
})

describe('upserts', () => {
  it('create, update, or tell that several were meant', async () => {
    const path = '/sobjects/Contact/Email/x%40navy.example'
    expect(await send('PATCH', path, { LastName: 'X' })).toMatchObject({ status: 201, body: { success: true, errors: [], created: true } })
    expect(await send('PATCH', path, { Title: 'Captain' })).toMatchObject({ status: 200, body: { created: false } })
    await id('Contact', { LastName: 'Y', Email: 'x@navy.example' })
    const several = await send<readonly string[]>('PATCH', path, { Title: 'Admiral' })
    expect(several).toMatchObject({ status: 300, body: [expect.stringMatching(/^\/services\/data\/v66\.0\/sobjects\/Contact\/003/), expect.any(String)] })
    expect(await refused('PATCH', '/sobjects/Contact/Title/x', {})).toMatchObject({ status: 404, errorCode: 'NOT_FOUND' })
  })
})
