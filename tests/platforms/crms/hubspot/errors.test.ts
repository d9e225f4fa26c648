import { startSimulator } from 'crm-simulators'
import { simulateHubSpot } from 'crm-simulators/hubspot'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Table, Tables } from '../../../../src/platforms/crms/engine/tables.ts'
import { refusalOf } from '../../../../src/platforms/crms/hubspot/errors.ts'
import { examine } from '../../../../src/platforms/crms/hubspot/examination.ts'
import { hubspot } from '../../../../src/platforms/crms/hubspot/hubspot.ts'
import { ADA, all, good, openAccount, patient, startAccount } from './open-account.ts'

const WRITE = { method: 'POST', path: '/crm/objects/2026-03/tickets' } as const
const READ = { method: 'GET', path: '/crm/objects/2026-03/tickets/1' } as const
const nameOf = (object: string | undefined, property: string) => `${object}.${property}`
const refusal = (status: number, body: unknown, asked: Parameters<typeof refusalOf>[1] = WRITE, headers = {}) =>
  refusalOf({ status, headers, text: typeof body === 'string' ? body : JSON.stringify(body) }, asked, nameOf)

describe('what HubSpot says', () => {
  test('names of properties are found inside the message, all of them', () => {
    const results = [
      { isValid: false, message: 'reports was not one of the allowed options: [a, b]', error: 'INVALID_OPTION', name: 'hs_ticket_category' },
      { isValid: false, message: 'x was not a valid number.', error: 'INVALID_INTEGER', name: 'amount' },
    ]
    const error = refusal(400, { status: 'error', message: `Property values were not valid: ${JSON.stringify(results)}`, category: 'VALIDATION_ERROR' })
    expect(error).toMatchObject({
      code: 'platform_rejected',
      retryable: false,
      errors: [
        { field: 'tickets.hs_ticket_category', code: 'value', message: 'reports was not one of the allowed options: [a, b]' },
        { field: 'tickets.amount', code: 'value', message: 'x was not a valid number.' },
      ],
    })
  })

  test('or in the list of errors', () => {
    const errors = [{ message: 'It is missing.', code: 'REQUIRED_PROPERTY_MISSING', context: { properties: ['hs_pipeline_stage'] } }]
    expect(refusal(400, { message: 'Error creating TICKET.', errors })).toMatchObject({ errors: [{ field: 'tickets.hs_pipeline_stage', code: 'missing' }] })
  })

  /** The contact may be a lead or a contact of ours. */
  const both = (id: string) => [
    { type: 'Lead', id },
    { type: 'Contact', id },
  ]

  test('of an address that is taken, whose it is', () => {
    const error = refusal(
      409,
      { message: 'Contact already exists. Existing ID: 123', category: 'CONFLICT' },
      { method: 'POST', path: '/crm/objects/2026-03/contacts' },
    )
    expect(error).toMatchObject({
      code: 'platform_rejected',
      errors: [{ field: 'contacts.email', code: 'conflict' }],
      conflicting: both('123'),
    })
    expect(JSON.stringify([error.message, error.errors, error.hint])).not.toContain('123')
  })

  test('also in a batch, where the other has been made by the same batch', async () => {
    const { driver } = await openAccount()
    const [ada] = good(await driver.create('Lead', [ADA])) as { LeadID: string }[]
    const grace = { FirstName: 'Grace', LastName: 'Hopper', Email: 'grace@example.com' }
    const [first, second, third] = await driver.create('Lead', [grace, { ...ADA, FirstName: 'Another' }, { ...grace, Email: 'Grace@example.com' }])
    const { LeadID } = first as { LeadID: string }
    expect(second).toMatchObject({
      code: 'platform_rejected',
      errors: [{ field: 'Email', code: 'conflict' }],
      conflicting: both(`${ada?.LeadID}`),
    })
    expect(third).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'Email', code: 'conflict' }], conflicting: both(LeadID) })
    const [changed] = await driver.update('Lead', [
      { id: LeadID, changes: { Email: ADA.Email }, before: {} },
      { id: ada?.LeadID as string, changes: { Phone: '1' }, before: {} },
    ])
    expect(changed).toMatchObject({ errors: [{ field: 'Email', code: 'conflict' }], conflicting: both(`${ada?.LeadID}`) })
  })

  test.for([
    ['too many in ten seconds', { policyName: 'TEN_SECONDLY_ROLLING' }, {}, true, undefined],
    ['too many in a second', { policyName: 'SECONDLY' }, {}, true, undefined],
    ['too many, with a time to wait', { policyName: 'SECONDLY' }, { 'retry-after': '3' }, true, 3000],
    ['too many in a day', { policyName: 'DAILY' }, {}, false, 3_600_000],
  ] as const)('%s', ([, more, headers, retryable, retryAfterMs]) => {
    expect(refusal(429, { status: 'error', message: 'You have reached your limit.', errorType: 'RATE_LIMIT', ...more }, WRITE, headers)).toMatchObject({
      code: 'rate_limited',
      retryable,
      retryAfterMs,
    })
  })

  test('a time to wait may be a moment', () => {
    const later = new Date(Date.now() + 60_000).toUTCString()
    const { retryAfterMs = 0 } = refusal(429, { message: 'Too many.', policyName: 'SECONDLY' }, WRITE, { 'retry-after': later })
    expect(retryAfterMs).toBeGreaterThan(50_000)
    expect(retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  test('the reason is told, wherever it stands', () => {
    const errors = [{ message: 'The property "x" cannot be sorted by.' }]
    const vague = refusal(400, { message: 'There was a problem with the request.', category: 'VALIDATION_ERROR', errors })
    expect(vague.message).toBe('HubSpot refused it: There was a problem with the request. The property "x" cannot be sorted by.')
    expect(refusal(404, { message: 'Gone.', errors: [{ message: 'Gone.' }, { message: 'For good.' }] }).message).toBe('Gone. For good.')
  })

  test('a page of the network in front of HubSpot is no missing scope', () => {
    const page = refusal(403, '<html><title>Access denied</title></html>')
    expect(page).toMatchObject({ code: 'platform_unavailable', unknown: undefined, hint: expect.stringContaining('firewalls') })
    expect(page.hint).not.toContain('scope')
  })

  test('scopes that are missing are named', () => {
    const errors = [{ message: 'One or more …', context: { requiredGranularScopes: ['crm.objects.leads.write'] } }]
    expect(refusal(403, { message: 'not granted', category: 'MISSING_SCOPES', errors })).toMatchObject({
      code: 'forbidden',
      hint: expect.stringContaining('crm.objects.leads.write'),
    })
  })

  test('a failure leaves a write unknown and a read to be repeated', () => {
    expect(refusal(500, 'oops')).toMatchObject({ code: 'outcome_unknown', unknown: 'ended', retryable: false })
    expect(refusal(504, 'oops')).toMatchObject({ code: 'outcome_unknown', unknown: 'open' })
    expect(refusal(502, '<html>', READ)).toMatchObject({ code: 'platform_unavailable', retryable: true })
    expect(refusal(423, { message: 'locked' })).toMatchObject({ retryable: true, retryAfterMs: 2000 })
    expect(refusal(404, {})).toMatchObject({ code: 'not_found' })
    expect(refusal(401, {})).toMatchObject({ code: 'unauthenticated', hint: expect.stringContaining('service key') })
  })
})

describe('an account in trouble', () => {
  test('everything wrong with a record is said with our names', async () => {
    const { driver } = await openAccount()
    const [answer] = await driver.create('Opportunity', [{ OpportunityName: 'x', Stage: 'No stage', CloseDate: 'no day' }])
    expect(answer).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'CloseDate' }, { field: 'Stage' }] })
  })

  test('what is wrong is also said where nobody could read it at first', async () => {
    const { driver, simulator } = await openAccount({ retry: patient })
    simulator.faults.add('malformed=1x')
    const [answer] = await driver.create('Opportunity', [{ OpportunityName: 'x', Stage: 'No stage', CloseDate: 'no day' }])
    expect(answer).toMatchObject({ code: 'platform_rejected', errors: [{ field: 'CloseDate' }, { field: 'Stage' }] })
    expect(simulator.faults.list()).toEqual(['malformed=0x'])
  })

  test('reads go on through failures, and writes where nothing has happened', async () => {
    const { driver, simulator } = await openAccount({ retry: patient })
    const [lead] = good(await driver.create('Lead', [ADA])) as { LeadID: string }[]
    for (const fault of ['error=2x', 'drop-before=2x', 'drop-after=2x', 'malformed=2x', 'rate-limit=2x']) simulator.faults.add(fault)
    expect(await driver.get('Lead', [lead?.LeadID as string])).toHaveLength(1)
    simulator.faults.clear()
    for (const fault of ['rate-limit=2x', 'lock-row=2x']) simulator.faults.add(fault)
    good(await driver.create('Lead', [{ FirstName: 'Grace', LastName: 'Hopper' }]))
    expect(await all(driver, 'Lead')).toHaveLength(2)
  })

  test('a write that nobody saw the end of is unknown, and not repeated', async () => {
    const { driver, simulator } = await openAccount({ retry: patient })
    simulator.faults.add('error-after=1x')
    expect(await driver.create('Lead', [ADA])).toMatchObject([{ code: 'outcome_unknown', unknown: 'ended' }])
    simulator.faults.add('drop-after=1x')
    expect(
      await driver.create('Lead', [
        { FirstName: 'a', LastName: 'b' },
        { FirstName: 'c', LastName: 'd' },
      ]),
    ).toMatchObject([{ unknown: 'open' }, { unknown: 'open' }])
    expect(await all(driver, 'Lead')).toHaveLength(3)
  })

  test('the quota is read from the answers, and what is to be left over is left', async () => {
    const { opening, sent } = await startAccount()
    const driver = await hubspot.open({ ...opening, settings: { ...opening.settings, quotaFloor: 10_000_000 } })
    const before = sent.length
    await expect(driver.get('Lead', ['1'])).rejects.toMatchObject({ code: 'rate_limited', retryable: false, retryAfterMs: expect.any(Number) })
    expect(sent.length).toBe(before)
    await driver.close()
    const other = await openAccount()
    await other.driver.get('Lead', ['1'])
    expect(other.driver.quota()).toMatchObject({ of: 'API requests a day', most: expect.any(Number), used: expect.any(Number) })
    await expect(other.driver.ping()).resolves.toBeUndefined()
  })
})

describe('signing in', () => {
  const OAUTH = { clientId: 'simulator', clientSecret: 'simulator', refreshToken: 'simulator' }
  const signIns = (sent: readonly { path: string }[]) => sent.filter(({ path }) => path.startsWith('/oauth/')).length

  test('a refresh token is exchanged once, and again when the session has ended', async () => {
    const { driver, sent, simulator } = await openAccount({ secrets: OAUTH })
    await Promise.all(Array.from({ length: 20 }, () => driver.get('Lead', ['1'])))
    expect(signIns(sent)).toBe(1)
    simulator.faults.add('expired-session=1x')
    good(await driver.create('Lead', [ADA]))
    expect(signIns(sent)).toBe(2)
    simulator.advance(3_600_000)
    await Promise.all(Array.from({ length: 20 }, () => driver.get('Lead', ['1'])))
    expect(signIns(sent)).toBe(3)
    expect(await all(driver, 'Lead')).toHaveLength(1)
  })

  test.for([
    ['no secrets', {}],
    ['half of them', { clientId: 'simulator', refreshToken: 'simulator' }],
    ['a wrong token', { token: 'wrong' }],
    ['a wrong client secret', { ...OAUTH, clientSecret: 'sesame' }],
  ] as const)('%s: nobody is let in, and nothing secret is said', async ([, secrets]) => {
    const { opening } = await startAccount({ secrets })
    const error = (await hubspot.open(opening).catch((error: unknown) => error)) as Error & { hint: string }
    expect(error).toMatchObject({ code: 'unauthenticated', hint: expect.any(String) })
    expect(`${error.message} ${error.hint}`).not.toMatch(/sesame|\bwrong\b/)
  })
})

describe('what people choose', () => {
  test('the words of a field are what people call the stages there', async () => {
    const { driver } = await openAccount()
    const { fields } = driver.supports
    expect(fields.Opportunity?.Stage?.closed).toEqual([
      'Prospecting',
      'Qualification',
      'Negotiation',
      'Presentation Scheduled',
      'Decision Maker Bought-In',
      'Closed Won',
      'Closed Lost',
    ])
    expect(fields.Case?.Status?.closed?.toSorted()).toEqual(['Closed', 'In Progress', 'New', 'Waiting on contact'])
    expect(fields.Lead?.Status?.closed).toContain('Open')
  })

  test('what the configuration says goes first', async () => {
    const { driver } = await openAccount({
      tables: (tables) => ({
        ...tables,
        Opportunity: {
          ...(tables.Opportunity as Table),
          fields: {
            ...tables.Opportunity?.fields,
            Stage: { name: 'dealstage', kind: 'choice', values: { Fresh: 'appointmentscheduled', Prospecting: 'qualifiedtobuy' } },
            Note: { name: 'description', kind: 'longText', label: 'Description' },
          },
          defaults: { dealtype: 'newbusiness' },
        },
      }),
    })
    const { Stage } = driver.supports.fields.Opportunity as { Stage: { closed: string[]; defaultValue?: string } }
    expect(Stage.closed).toEqual(expect.arrayContaining(['Fresh', 'Prospecting', 'Negotiation']))
    expect(Stage.closed).not.toContain('Qualification')
    expect(driver.supports.extras.Opportunity).toEqual({ Note: { kind: 'longText', label: 'Description', readOnly: false } })
    const [made] = good(await driver.create('Opportunity', [{ OpportunityName: 'x', Stage: 'Fresh', CloseDate: '2026-01-01', Note: 'hello' }]))
    expect(made).toMatchObject({ Stage: 'Fresh', Note: 'hello' })
    expect(await all(driver, 'Opportunity', { where: [{ field: 'Note', family: 'text', operator: 'eq', value: 'hello' }] })).toHaveLength(1)
  })

  const withFields = (type: string, fields: Table['fields']) => (tables: Tables) => ({
    ...tables,
    [type]: { ...(tables[type] as Table), fields: { ...tables[type]?.fields, ...fields } },
  })

  test('properties that are not there are said when the account is opened, with the fields that want them', async () => {
    const { opening } = await startAccount({
      tables: withFields('Lead', { OptOut: { name: 'opt_out', kind: 'boolean' }, Phone: { name: 'fax_number', kind: 'phone' } }),
    })
    await expect(hubspot.open(opening)).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringMatching(/opt_out.*Lead\.OptOut.*fax_number.*Lead\.Phone|fax_number.*Lead\.Phone.*opt_out.*Lead\.OptOut/),
      errors: expect.arrayContaining([expect.objectContaining({ field: 'Lead.OptOut' }), expect.objectContaining({ field: 'Lead.Phone' })]),
      hint: expect.stringContaining('crm.config.json'),
    })
  })

  test('those of the contact that a lead is about, too', async () => {
    const { opening } = await startAccount({ options: { leads: 'lead' }, tables: withFields('Lead', { OptOut: { name: 'contact.opt_out', kind: 'boolean' } }) })
    await expect(hubspot.open(opening)).rejects.toMatchObject({ errors: [{ field: 'Lead.OptOut', message: expect.stringContaining('contacts') }] })
  })

  test('each object is asked about its properties once, whatever is named', async () => {
    const asked = (sent: readonly { path: string }[]) => sent.filter(({ path }) => /^\/crm\/properties\/2026-03\/\w+$/.test(path)).map(({ path }) => path)
    const objects = ['companies', 'contacts', 'deals', 'tickets'].map((object) => `/crm/properties/2026-03/${object}`)
    expect(asked((await openAccount()).sent).sort()).toEqual(objects)
    expect(asked((await openAccount({ tables: withFields('Case', { Kind: { name: 'hs_object_id', kind: 'text' } }) })).sent).sort()).toEqual(objects)
    expect(asked((await openAccount({ options: { leads: 'lead' } })).sent)).toHaveLength(5)
  })

  test('whoever may not look at properties is let in all the same', async () => {
    const refusing = await startSimulator((world) => {
      const simulated = simulateHubSpot(world)
      const refusal = { status: 403, body: { status: 'error', message: 'not granted', category: 'MISSING_SCOPES', correlationId: 'x' } }
      return { ...simulated, answer: (request) => (request.path === '/crm/properties/2026-03/tickets' ? refusal : simulated.answer(request)) }
    })
    onTestFinished(() => refusing.close())
    const { opening } = await startAccount({ tables: withFields('Case', { Kind: { name: 'no_such_property', kind: 'text' } }) })
    const driver = await hubspot.open({ ...opening, address: refusing.url })
    expect(driver.supports.extras.Case).toHaveProperty('Kind')
    await driver.close()
  })

  test('a pipeline that is not there is said when the account is opened', async () => {
    const { opening } = await startAccount({ options: { dealPipeline: 'none' } })
    await expect(hubspot.open(opening)).rejects.toMatchObject({ code: 'invalid_input', hint: expect.stringContaining('default (Sales Pipeline)') })
  })
})

describe('an examination', () => {
  const found = async (opening: Parameters<typeof examine>[0]) => {
    const findings = []
    for await (const finding of examine(opening)) findings.push(finding)
    return findings
  }

  test('of an account in order', async () => {
    const { opening } = await startAccount()
    const findings = await found(opening)
    expect(findings.filter(({ good }) => !good)).toEqual([])
    expect(findings.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['sign-in', 'contacts', 'deals', 'tickets', 'lists', 'notes', 'custom objects', 'pipelines', 'quota']),
    )
  })

  test('of one where something is missing says what to do', async () => {
    const { opening } = await startAccount({ secrets: { token: 'wrong' } })
    expect(await found(opening)).toMatchObject([{ name: 'sign-in', good: false, todo: expect.any(String) }])
    const { opening: hidden, simulator } = await startAccount()
    simulator.faults.add('field-security=contacts.phone')
    expect((await found(hidden)).filter(({ good }) => !good)).toMatchObject([
      { name: 'contacts', text: expect.stringContaining('phone'), todo: expect.any(String) },
    ])
  })
})
