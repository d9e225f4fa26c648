import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { expect, test } from 'vitest'
import { batchInput } from '../src/contract/batch.ts'
import { OPERATIONS } from '../src/contract/operations.ts'
import { superlinear } from './support/superlinear.ts'

const src = join(import.meta.dirname, '../src')
/** All but the conformance suite, which reads its own texts only. */
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts') && !file.startsWith('testing/'))

interface Node {
  readonly type?: string
  readonly regex?: { readonly pattern: string; readonly flags: string }
  readonly callee?: { readonly name?: string }
}

function nodesIn(node: unknown): Node[] {
  if (typeof node !== 'object' || node === null) return []
  return [node, ...Object.values(node).flatMap(nodesIn)]
}

const nodes = files.flatMap((file) => nodesIn(parseAst(readFileSync(join(src, file), 'utf8'), { lang: 'ts' })).map((node) => [file, node] as const))

test('every regular expression takes time in proportion to its input', () => {
  const literals = nodes.flatMap(([file, { regex }]) => (regex ? [{ file, ...regex }] : []))
  expect(literals.length).toBeGreaterThan(250)
  expect(literals.filter(({ pattern, flags }) => superlinear(pattern, flags))).toEqual([])
})

test('and so does every pattern of the contract', () => {
  const patterns = nodesIn([batchInput, ...OPERATIONS.map(({ input }) => input)]).flatMap((node) => ('pattern' in node ? [String(node.pattern)] : []))
  expect(patterns.length).toBeGreaterThan(3)
  expect(patterns.filter((pattern) => superlinear(pattern, 'u'))).toEqual([])
})

test('those that are put together at run time are known', () => {
  const built = nodes.flatMap(([file, { type, callee }]) => (type === 'NewExpression' && callee?.name === 'RegExp' ? [file] : []))
  expect([...new Set(built)].sort()).toEqual([
    // One of the patterns of the contract.
    'contract/limits.ts',
    'platforms/crms/engine/account-fields.ts',
    // A tag between two letters that it cannot contain.
    'platforms/crms/salesforce/metadata.ts',
    // A pattern of the caller's own, on the names of our events.
    'transports/cli/tail-command.ts',
    // The addresses of our routes, in which each parameter ends at the next slash.
    'transports/http/routes/not-found.ts',
    // Reads at most 2 kB.
    'transports/mcp/oversized-line.ts',
  ])
})

test.each([
  ['polynomial', /^application\/(?:[\w.!#$&^+-]+\+)?json\s*(?:;\s*charset="?utf-?8"?\s*)?;?\s*$/i],
  ['polynomial', /^\s*a?\s*$/],
  ['polynomial', /^(?:ab)*(?:ab)*$/],
  ['polynomial', /\s+$/],
  ['polynomial', /<!--[\s\S]*?-->/],
  ['exponential', /^(?:a+)+b/],
  ['exponential', /^(?:a|\w)*!/],
  ['exponential', /^(?:\w+\s?)*$/],
  [undefined, /^\s*(\S+)(?:\s+(asc|desc))?\s*$/i],
  [undefined, /[\s_-]+/],
  [undefined, /"(?:[^"\\]|\\.)*("?)/s],
  [undefined, /^[^@\s]+@[^@\s]+$/],
  [undefined, /<[^<>]*>/],
  [undefined, /^(?:[a-z]{1,9}\.)*[a-z]{2,9}$/],
])('%s: %s', (expected, { source, flags }) => {
  expect(superlinear(source, flags)).toBe(expected)
})
