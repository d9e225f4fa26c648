import { afterAll, beforeAll, expect, test } from 'vitest'
import { BATCH } from '../../src/contract/batch.ts'
import type { Fault } from '../../src/contract/errors.ts'
import { optionSchemas } from '../../src/transports/mcp/option-arguments.ts'
import { ADMINISTRATION, TOOLS } from '../../src/transports/mcp/tools.ts'
import { type Talk, talkTo } from '../support/mcp.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
let talk: Talk

beforeAll(async () => {
  server = await startServer()
  talk = await talkTo(server.url, server.key, { query: '?toolsets=all,administration', atEnd: afterAll })
})
afterAll(() => server.close())

/** The faults of a call that is refused, by the argument. */
async function faultsOf(tool: string, input: object): Promise<ReadonlyMap<string, Fault>> {
  const { isError, says } = await talk.call(tool, input)
  expect([tool, isError, says.code]).toEqual([tool, true, 'invalid_input'])
  return new Map((says.errors as Fault[]).map((fault) => [fault.field, fault]))
}

const MISTYPED = [
  { Detail: ['brief', /^full$/], Budget: [1, /^a number of at least 200$/], DryRun: ['yes', /^true or false$/], IdempotencyKey: ['a b', /^1 to 255 visible/] },
  { Detail: [7, /^a text$/], Budget: ['4000', /^a whole number$/], DryRun: [1, /^true or false$/], IdempotencyKey: [5, /^a text$/] },
] as const

test('mistyped options of any tool are told what they take', async () => {
  for (const operation of [...TOOLS, ...ADMINISTRATION, BATCH])
    for (const mistyped of MISTYPED) {
      const wrong = Object.entries(mistyped).filter(([option]) => !('verb' in operation) || Object.hasOwn(optionSchemas(operation), option))
      const faults = await faultsOf(operation.id, Object.fromEntries(wrong.map(([option, [value]]) => [option, value])))
      for (const [option, [, takes]] of wrong) {
        const { message, expected, didYouMean } = { ...faults.get(option) }
        expect([operation.id, message, expected, didYouMean]).toEqual([
          operation.id,
          expect.stringMatching(`^${option} `),
          expect.stringMatching(takes),
          undefined,
        ])
      }
    }
})

const MISSPELT = { Detail: 'Detial', Budget: 'Bugdet', DryRun: 'DryRunn', IdempotencyKey: 'IdempotencKey' }

test('misspelt options of any tool are told their names, beside what takes any name too', async () => {
  for (const operation of [...TOOLS, ...ADMINISTRATION, BATCH]) {
    const wrong = Object.entries(MISSPELT).filter(([option]) => !('verb' in operation) || Object.hasOwn(optionSchemas(operation), option))
    const faults = await faultsOf(operation.id, Object.fromEntries(wrong.map(([, misspelt]) => [misspelt, 1])))
    for (const [option, misspelt] of wrong) expect([operation.id, faults.get(misspelt)?.didYouMean]).toEqual([operation.id, option])
  }
})

test('a field at the wrong level is told its place, also where it is called as an option or nearly so', async () => {
  await server.call('define_field', { RecordType: 'Opportunity', FieldName: 'Budget', Kind: 'money', Label: 'Budget' })
  for (const [tool, argument, place] of [
    ['get_many_leads', 'Email', 'Filters.Email'],
    ['get_many_leads', 'email', 'Filters.Email'],
    ['get_many_leads', 'Emial', 'Filters.Email'],
    ['get_many_opportunities', 'Budget', 'Filters.Budget'],
    ['update_opportunity', 'Budget', 'FieldsToUpdate.Budget'],
    ['create_custom_object', 'Hull', 'Fields.Hull'],
  ] as const)
    expect([tool, (await faultsOf(tool, { [argument]: 1 })).get(argument)]).toEqual([tool, expect.objectContaining({ didYouMean: place })])
})
