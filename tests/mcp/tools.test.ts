import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { temporaryFolder } from '../support/folder.ts'
import { talkToCommand } from '../support/mcp.ts'
import { TOOL_OPERATIONS } from '../support/tool-examples.ts'

type Json = { readonly [member: string]: unknown }
type Listed = { readonly name: string; readonly inputSchema: Json; readonly outputSchema?: Json; readonly [member: string]: unknown }

let whole: Json
let tools: readonly Listed[]

beforeAll(async () => {
  const { client } = await talkToCommand([], { cwd: await temporaryFolder(afterAll) }, { atEnd: afterAll })
  whole = (await client.listTools()) as unknown as Json
  tools = whole.tools as readonly Listed[]
})

const members = (schema: Json | undefined) => (schema?.properties ?? {}) as { readonly [name: string]: Json }
const operationOf = (name: string) => OPERATIONS.find(({ id }) => id === name)

test('there is one tool an operation, in the order of the contract, without administration', () => {
  expect(tools.map(({ name }) => name)).toEqual(TOOL_OPERATIONS.map(({ id }) => id))
  expect(tools.length).toBeGreaterThanOrEqual(27)
})

test.each([
  ['o200k', o200k],
  ['cl100k', cl100k],
])('all tools together are listed in less than 6,000 tokens of %s', (_, encode) => {
  expect(encode(JSON.stringify(whole)).length).toBeLessThan(6000)
})

/** Every schema in a schema, with where it is. */
function inside(schema: unknown, at: string): (readonly [string, Json])[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema as { [keyword: string]: never }
  const deeper = [...Object.entries(properties), ['items', items], ['additionalProperties', additionalProperties], ...Object.entries(anyOf)] as [
    string,
    unknown,
  ][]
  return [[at, schema as Json], ...deeper.flatMap(([name, one]) => inside(one, `${at}.${name}`))]
}

test('every schema is a plain object without combinators at the top, and says what each member is', () => {
  for (const { name, inputSchema, outputSchema } of tools) {
    for (const schema of [inputSchema, outputSchema]) {
      expect(schema?.type, name).toBe('object')
      expect(Object.keys(schema ?? {}), name).not.toEqual(expect.arrayContaining(['anyOf']))
      for (const word of ['oneOf', 'allOf', 'not', '$ref', '$defs', 'if']) expect(schema, name).not.toHaveProperty(word)
    }
    for (const [at, one] of [...inside(inputSchema, name), ...inside(outputSchema, name)]) {
      expect(typeof one.type === 'string' || Array.isArray(one.anyOf), at).toBe(true)
      if (one.type === 'array' && inside(inputSchema, name).some(([where]) => where === at)) expect(one.items, at).toBeDefined()
    }
  }
})

test('a tool takes what its operation takes, needs what it needs, and takes what steers the call', () => {
  for (const { name, inputSchema } of tools) {
    const { input, effect, verb } = operationOf(name) as (typeof OPERATIONS)[number]
    const { properties, required = [] } = input as unknown as { properties: object; required?: string[] }
    const steering = [
      ...(effect === 'read' ? [] : ['IdempotencyKey', 'DryRun']),
      ...(effect === 'delete' || verb === 'undoChange' ? ['ConfirmationToken'] : []),
      'Detail',
    ]
    expect(Object.keys(members(inputSchema)), name).toEqual([...Object.keys(properties), ...steering])
    expect(inputSchema.required ?? [], name).toEqual(required)
  }
})

test('filters name the fields of the record with their operators', () => {
  const described = (name: string) => members(tools.find((tool) => tool.name === name)?.inputSchema).Filters?.description
  expect(described('get_many_opportunities')).toMatch(
    /^OpportunityID OpportunityName Stage (\w+ )*OwnerID: eq ne in contains startsWith; CloseDate Amount (\w+ )*CreatedDate UpdatedDate Revision: eq ne in gt gte lt lte$/,
  )
  expect(described('get_many_custom_objects')).toMatch(/what the workspace has defined/)
  expect(described('get_summary_opportunity')).toBe('As in get_many_opportunities.')
})

test('what a custom object takes is shown with what it may hold', () => {
  const { Fields } = members(tools.find(({ name }) => name === 'create_custom_object')?.inputSchema)
  const field = Fields?.additionalProperties as Json
  expect(Object.keys(members(field))).toEqual(['Type', 'Label', 'Value'])
  expect(members(field).Value).toEqual({ anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }] })
  const { FieldsToUpdate } = members(tools.find(({ name }) => name === 'update_custom_object')?.inputSchema)
  expect(FieldsToUpdate).toMatchObject({ additionalProperties: true, description: expect.stringContaining('User-defined') })
})

test('nothing that answers hold is required, since refusals and dry runs are answers too', () => {
  for (const { name, outputSchema } of tools) expect(outputSchema, name).not.toHaveProperty('required')
})

describe('annotations', () => {
  const annotations = () => Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations as Json]))

  test('say of every tool that it stays within the CRM, and of exactly the reads that they change nothing', () => {
    for (const [name, { openWorldHint, readOnlyHint = false }] of Object.entries(annotations())) {
      expect(openWorldHint, name).toBe(false)
      expect(readOnlyHint, name).toBe(operationOf(name)?.effect === 'read')
    }
  })

  test('say what may take something away', () => {
    const destructive = Object.entries(annotations()).flatMap(([name, { destructiveHint }]) => (destructiveHint ? [name] : []))
    const overwrites = TOOL_OPERATIONS.filter(({ effect }) => effect === 'update' || effect === 'delete')
    expect(destructive).toEqual(overwrites.map(({ id }) => id))
  })

  test('say what can be called again without doing more', () => {
    expect(Object.entries(annotations()).flatMap(([name, { idempotentHint }]) => (idempotentHint ? [name] : []))).toEqual([
      'delete_lead',
      'add_leads_to_campaign',
      'opportunity_delete',
      'case_delete',
      'delete_custom_object',
      'remove_leads_from_campaign',
      'undo_change',
    ])
  })
})
