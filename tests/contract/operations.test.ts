import { describe, expect, test } from 'vitest'
import { clientOf } from '../../src/contract/client/client.ts'
import type { Transport } from '../../src/contract/client/transport.ts'
import { CrmError } from '../../src/contract/errors.ts'
import { fold } from '../../src/contract/names.ts'
import { TIERS } from '../../src/contract/operation.ts'
import { findOperation, OPERATIONS } from '../../src/contract/operations.ts'

/** The operations as the source document has them: name, then inputs, ! for required. Never to be changed. */
const SOURCE: { readonly [name: string]: string } = {
  'Add Leads to Campaign': 'LeadID! string, CampaignID! string',
  'Add Notes To Leads': 'LeadID! string, Note! string',
  'Create A Lead': 'FirstName! string, LastName! string, Email string, Phone string',
  'Delete Lead': 'LeadID! string',
  'Get Leads': 'LeadID! string',
  'Get Many Leads': 'Filters object',
  'Get Summary Of Leads': 'UserID string, Filters object',
  'Update Lead': 'LeadID! string, FieldsToUpdate! object',
  'Add Notes to Opportunity': 'OpportunityID! string, Note! string',
  'Create Opportunity': 'OpportunityName! string, Stage! string, CloseDate! string, Amount number',
  'Opportunity Delete': 'OpportunityID! string',
  'Get Opportunity': 'OpportunityID! string',
  'Get Many Opportunities': 'Filters object',
  'Get Summary Opportunity': 'UserID string, Filters object',
  'Update Opportunity': 'OpportunityID! string, FieldsToUpdate! object',
  'Add Comment': 'CaseID! string, Comment! string, Publish boolean',
  'Create Case': 'Subject! string, Description! string, Status string',
  'Case Delete': 'CaseID! string',
  'Get Case': 'CaseID! string',
  'Get Many Cases': 'Filters object',
  'Case Get Summary': 'UserID string, Filters object',
  'Update Case': 'CaseID! string, FieldsToUpdate! object',
  'Create Custom Object': 'ObjectName! string, Fields! object',
  'Delete Custom Object': 'ObjectID! string',
  'Get Custom Object': 'ObjectID! string',
  'Get Many Custom Objects': 'Filters object',
  'Update Custom Object': 'ObjectID! string, FieldsToUpdate! object',
}

/** The ids and methods, as they were first published. */
const PUBLISHED = `
  create_a_lead leads.create, get_leads leads.get, get_many_leads leads.getMany, get_summary_of_leads leads.getSummary, update_lead leads.update,
  delete_lead leads.delete, add_notes_to_leads leads.addNote, add_leads_to_campaign leads.addToCampaign,
  create_opportunity opportunities.create, get_opportunity opportunities.get, get_many_opportunities opportunities.getMany,
  get_summary_opportunity opportunities.getSummary, update_opportunity opportunities.update, opportunity_delete opportunities.delete,
  add_notes_to_opportunity opportunities.addNote, create_case cases.create, get_case cases.get, get_many_cases cases.getMany,
  case_get_summary cases.getSummary, update_case cases.update, case_delete cases.delete, add_comment cases.addComment,
  create_custom_object customObjects.create, get_custom_object customObjects.get, get_many_custom_objects customObjects.getMany,
  update_custom_object customObjects.update, delete_custom_object customObjects.delete`

/** What may be added to the source's inputs: always optional. */
const ADDED: { readonly [verb: string]: readonly string[] } = {
  get: ['Include', 'Fresh'],
  getMany: ['Limit', 'Cursor', 'OrderBy', 'Select', 'Include', 'Fresh'],
  getSummary: ['Fresh', 'Forecast', 'Ages'],
  link: ['Status', 'ExternalID'],
  update: ['IfRevision'],
  delete: ['IfRevision'],
}

interface Shape {
  readonly properties: { readonly [name: string]: { readonly type?: string | readonly string[] } }
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

describe('the contract', () => {
  test('has the 27 operations of the source document, by their names', () => {
    const names = OPERATIONS.filter(({ extension }) => !extension).map(({ name }) => name)
    expect(names.toSorted()).toEqual(Object.keys(SOURCE).sort())
    expect(names).toHaveLength(27)
  })

  test.each(Object.entries(SOURCE))('%s takes the inputs of the source document', (name, inputs) => {
    const { input, verb } = findOperation(name)
    const { properties, required = [], additionalProperties } = input as unknown as Shape
    const declared = Object.entries(properties).map(
      ([property, { type }]) => `${property}${required.includes(property) ? '!' : ''} ${[type].flat().filter((one) => one !== 'null')[0]}`,
    )
    // A create takes every field of its record that a caller may set.
    const further = verb === 'create' ? Object.keys(properties).filter((property) => !new RegExp(`(^|, )${property}!? `).test(inputs)) : []
    expect(further.filter((property) => required.includes(property))).toEqual([])
    const extra = [...(ADDED[verb] ?? []).filter((property) => property in properties), ...further]
    expect(declared.filter((one) => !extra.includes(one.split(' ')[0] ?? '')).sort()).toEqual(inputs.split(', ').sort())
    expect(
      Object.keys(properties)
        .filter((property) => extra.includes(property))
        .sort(),
    ).toEqual(extra.toSorted())
    expect(additionalProperties).toBe(false)
  })

  test('keeps the ids and methods it was published with', () => {
    const published = PUBLISHED.split(',').map((pair) => pair.trim())
    expect(OPERATIONS.filter(({ extension }) => !extension).map(({ id, method }) => `${id} ${method}`)).toEqual(published)
  })

  test('has every id, name and method once', () => {
    for (const member of ['id', 'name', 'method'] as const) expect(new Set(OPERATIONS.map((operation) => operation[member])).size).toBe(OPERATIONS.length)
  })

  test('gives each operation the tier of its effect, administration its own', () => {
    const tiers = { read: 'read', create: 'write', update: 'write', delete: 'delete' }
    for (const { tier, effect } of OPERATIONS) expect([tiers[effect], 'admin', 'operator']).toContain(tier)
    const users = ['create_user', 'update_user', 'create_key', 'get_many_keys', 'revoke_key']
    const webhooks = ['create_webhook', 'get_many_webhooks', 'update_webhook', 'delete_webhook', 'rotate_webhook_secret', 'test_webhook']
    const fields = ['update_custom_field', 'delete_custom_field', 'define_field', 'update_field', 'retire_field']
    const connections = ['create', 'update', 'test', 'authorize', 'complete', 'delete'].map((verb) => `${verb}_connection`)
    const administration = [
      ...users,
      ...webhooks,
      ...fields,
      ...connections,
      'get_many_connections',
      'get_mirror',
      'get_many_deliveries',
      'get_many_attempts',
      'replay_deliveries',
      'erase_record',
      'get_many_plans',
      'allow_plan',
    ]
    expect(
      OPERATIONS.filter(({ tier }) => tier === 'admin')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(administration.toSorted())
    expect(new Set(OPERATIONS.map(({ tier }) => tier))).toEqual(new Set(TIERS))
  })
})

describe('names', () => {
  test.each(OPERATIONS.map(({ name, id }) => [name, id]))('%s folds to %s in every spelling', (name, id) => {
    for (const spelled of [
      name,
      id,
      id.replaceAll('_', '-'),
      id.toUpperCase(),
      name.toLowerCase(),
      `  ${name} `,
      name.replaceAll(' ', '  '),
      id.replaceAll('_', ' '),
    ]) {
      expect(fold(spelled)).toBe(id)
      expect(findOperation(spelled).id).toBe(id)
    }
  })

  test('an unknown name is answered with the three nearest', () => {
    const error = caught(() => findOperation('get_lead'))
    expect(error.code).toBe('not_found')
    expect(error.hint?.match(/[a-z_]+(?=[,.])/g)?.slice(0, 3)).toContain('get_leads')
    expect(error.errors?.[0]?.didYouMean).toBe('get_leads')
  })

  test('a hostile name is refused in words that disturb no log', () => {
    for (const name of ['\u001b[31mred', 'a'.repeat(100_000), '\ud800', '__proto__', 'constructor', '\n']) {
      const error = caught(() => findOperation(name))
      expect(error.code).toBe('not_found')
      expect(error.message.length).toBeLessThan(200)
      expect([...error.message].filter((character) => character < ' ')).toEqual([])
      expect(error.message.isWellFormed()).toBe(true)
    }
  })
})

describe('the client', () => {
  /** A carrier that notes what it is given, and answers with these pages, one after the other. */
  function noting(...pages: readonly unknown[]) {
    const sent: [string, unknown?][] = []
    const carrier: Transport = {
      async call(operation, input) {
        sent.push([operation, input])
        return pages[sent.length - 1]
      },
      batch: async (batch) => void sent.push(['batch', batch]),
      follow() {
        throw new Error('Nobody follows.')
      },
      close: async () => void sent.push(['close']),
    }
    return { sent, crm: clientOf(carrier) }
  }

  test('sends each method to its operation', async () => {
    const { sent, crm } = noting()
    const methods = crm as unknown as Record<string, Record<string, () => Promise<void>> & (() => Promise<void>)>
    for (const { method } of OPERATIONS) {
      const [group = '', verb] = method.split('.')
      await (verb === undefined ? methods[group]?.() : methods[group]?.[verb]?.())
    }
    await crm.batch({ Operations: [] })
    expect(sent).toEqual([...OPERATIONS.map(({ id }) => [id, {}]), ['batch', { Operations: [] }]])
  })

  test('has all() for whatever answers page by page', () => {
    const { crm } = noting()
    // A search is for its best matches, and has no all().
    const paging = OPERATIONS.filter(({ verb, input }) => verb !== 'search' && ('Cursor' in input.properties || 'After' in input.properties)).map(
      ({ method }) => method.split('.'),
    )
    const groups = crm as unknown as Record<string, Record<string, unknown>>
    for (const [group = '', verb = ''] of paging) expect(groups[group]?.[verb.replace('getMany', 'all')], `${group}.${verb}`).toBeTypeOf('function')
    const found = Object.values(groups).flatMap((group) => Object.keys(group).filter((verb) => verb.startsWith('all') && verb !== 'allow'))
    expect(found).toHaveLength(paging.length)
  })

  test('asks for a page only when the loop gets there', async () => {
    const page = (names: string[], NextCursor: string | null) => ({ Records: names.map((FirstName) => ({ FirstName })), NextCursor })
    const { sent, crm } = noting(page(['Ada', 'Grace'], 'two'), page([], 'three'), page(['Alan'], null))
    const found: string[] = []
    for await (const { FirstName } of crm.leads.all({ Filters: { Status: 'Open' }, Limit: 2 })) {
      found.push(FirstName)
      expect(sent).toHaveLength(FirstName === 'Alan' ? 3 : 1)
    }
    expect(found).toEqual(['Ada', 'Grace', 'Alan'])
    const input = { Filters: { Status: 'Open' }, Limit: 2 }
    expect(sent).toEqual([
      ['get_many_leads', input],
      ['get_many_leads', { ...input, Cursor: 'two' }],
      ['get_many_leads', { ...input, Cursor: 'three' }],
    ])
  })

  test('goes through events until there are no more for now', async () => {
    const { sent, crm } = noting({ Events: [{ EventID: '1' }], NextCursor: '5' }, { Events: [], NextCursor: '9' }, { Events: [], NextCursor: '9' })
    const found: string[] = []
    for await (const { EventID } of crm.events.all()) found.push(EventID)
    expect(found).toEqual(['1'])
    expect(sent.map(([, input]) => (input as { After?: string }).After)).toEqual([undefined, '5', '9'])
  })

  test('lets go when it is closed or disposed of', async () => {
    const { sent, crm } = noting()
    await crm.close()
    await crm[Symbol.asyncDispose]()
    expect(sent).toEqual([['close'], ['close']])
  })
})

function caught(run: () => unknown): CrmError {
  try {
    run()
  } catch (error) {
    if (error instanceof CrmError) return error
    throw error
  }
  throw new Error('Nothing was refused')
}
