import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { encode as cl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { encode as o200k } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { FIELD_KINDS, type FieldKind } from '../../src/contract/fields.ts'
import { TIERS } from '../../src/contract/operation.ts'
import { RECORD_TYPES } from '../../src/contract/operations.ts'
import type { Extending } from '../../src/core/call/extension.ts'
import { withApps } from '../../src/transports/mcp/apps.ts'
import { type FilterInput, offeredTools, readToolFilter } from '../../src/transports/mcp/tool-filter.ts'
import { ADMINISTRATION, listTools, TOOLS, toolsOn } from '../../src/transports/mcp/tools.ts'
import { talkTo } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8')

const OWNED = RECORD_TYPES.filter(({ owned, userDefined }) => owned && !userDefined).map(({ name }) => name)

/** An account with as many fields of every kind on every type, or on some, whose names and values are of the same manner. */
function account(nameOf: (i: number) => string, count = 400, types: readonly string[] = OWNED): Extending {
  const kinds = Object.keys(FIELD_KINDS).filter((kind) => kind !== 'json') as FieldKind[]
  const own = Array.from({ length: count }, (_, i) => [nameOf(i), { kind: kinds[i % kinds.length], label: nameOf(i), readOnly: false }])
  const closed = { closed: Array.from({ length: 100 }, (_, i) => nameOf(i)) }
  const required = Object.fromEntries(own.slice(0, 50).map(([one]) => [one, { required: true }]))
  return {
    name: 'account',
    supports: {
      fields: Object.fromEntries(types.map((name) => [name, { Status: closed, Stage: closed, ...required }])),
      extras: Object.fromEntries(types.map((name) => [name, Object.fromEntries(own)])),
    },
  }
}

const ACCOUNTS: readonly (readonly [string, Extending])[] = [
  ['no fields of its own', { name: '', supports: { fields: {}, extras: {} } }],
  ['25 fields on each type', account((i) => `Renewal${i}Date`, 25)],
  ['many fields', account((i) => `Renewal${i}Date`)],
  ['many fields on leads alone', account((i) => `Renewal${i}Date`, 400, ['Lead'])],
  ['long names', account((i) => `${'Zq7x'.repeat(9)}${i}`)],
  ['short names', account((i) => `Qz${(i * 7919).toString(36)}`)],
  ['names in other letters', account((i) => `Größenänderung${i}`)],
]

/** The tokens of a list as a client gets it. */
function tokensOf(platform: Extending, given: FilterInput, apps: boolean): number {
  const filter = readToolFilter(given)
  const offered = offeredTools({ role: 'admin', scopes: TIERS }, filter, toolsOn(platform, [...TOOLS, ...ADMINISTRATION]))
  const tools = apps ? withApps(listTools(offered), offered, filter) : listTools(offered)
  return Math.max(...[o200k, cl100k].map((encode) => encode(JSON.stringify({ tools })).length))
}

describe.each(ACCOUNTS)('an account with %s', (_, platform) => {
  const SETUPS = [undefined, 'deletes', 'updates'].flatMap((confirm) => [false, true].map((apps) => ({ confirm, apps })))

  test.each(SETUPS)('has lists that stay within their bounds, with %j', ({ confirm, apps }) => {
    expect(tokensOf(platform, { confirm }, apps)).toBeLessThan(6000)
    expect(tokensOf(platform, { confirm, toolsets: 'leads,cases' }, apps)).toBeLessThan(2500)
  })
})

describe('the page about agents', () => {
  const rows = [...page.matchAll(/^\| ([^|\n]+) \| (\d+) \| ([\d,]+) \|$/gm)].map(([, what = '', tools, tokens = '']) => ({
    what,
    tools: Number(tools),
    tokens: Number(tokens.replace(',', '')),
  }))

  test('has a row for every list that it speaks of', () => {
    expect(rows.map(({ what }) => what)).toEqual([
      'everything, of an admin',
      'read-only',
      '`leads,cases`',
      '`leads,opportunities,cases`',
      '`leads`, read-only',
      '`administration`',
      '`all,administration`',
    ])
  })

  test.each(rows)('says how large a list is: $what', async ({ what, tools, tokens }) => {
    const server = await serverForTest()
    const [, toolsets] = /`([\w,]+)`/.exec(what) ?? []
    const query = [...(toolsets ? [`toolsets=${toolsets}`] : []), ...(what.includes('read-only') ? ['read-only=true'] : [])].join('&')
    const { client } = await talkTo(server.url, server.key, { query: `?${query}` })
    const listed = (await client.listTools()).tools
    expect({ tools: listed.length, tokens: o200k(JSON.stringify({ tools: listed })).length }).toEqual({ tools, tokens })
  })
})
