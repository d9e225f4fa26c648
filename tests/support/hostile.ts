import type { Operation } from '../../src/contract/operation.ts'

const text = (value: string) => JSON.stringify(value)

/** Raw JSON values, some of which JSON.stringify cannot produce. */
export const HOSTILE: readonly string[] = [
  ...[
    'null',
    'true',
    'false',
    '0',
    '-0',
    '-1',
    '0.5',
    '1e999',
    '-1e999',
    '1e-999',
    '9007199254740993',
    '123456789012345678901234567890',
    '1.7976931348623157e308',
    '5e-324',
  ],
  ...[
    '""',
    '" "',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"x\\udc00"',
    '"\\ufeff"',
    '"\\ufffe\\uffff"',
    '"\\u202e\\u2066"',
    '"\\u001b[31m"',
    '"\\u0007\\b\\f"',
    '"null"',
    '"\\uD83D\\uDE00"',
  ],
  ...[
    '\'; DROP TABLE "Lead"; --',
    '" OR 1=1 --',
    '\' UNION SELECT * FROM "Key" --',
    'x\\',
    '%',
    '_',
    '$\x7b7*7}',
    '{{7*7}}',
    '../../etc/passwd',
    '<script>alert(1)</script>',
    '=1+1',
    'a\r\nSet-Cookie: x=1',
    '__proto__',
    'constructor',
    '*',
    'Infinity',
    '1970-01-01',
    '2026-02-30',
    '2026-01-01T00:00:00Z',
  ].map(text),
  ...[text('x'.repeat(256)), text('x'.repeat(32_001)), text('😀'.repeat(256))],
  ...[
    '[]',
    '[null]',
    '[[]]',
    '["x"]',
    '{}',
    '{"":""}',
    '{"x":1}',
    '{"eq":{"eq":1}}',
    '{"$gt":""}',
    '{"gte":[]}',
    '{"in":[{}]}',
    '{"in":"x"}',
    '{"toString":1}',
    '{"length":-1}',
  ],
  ...['{"__proto__":{"polluted":true}}', '{"constructor":{"prototype":{"polluted":true}}}', '{"__proto__":null}'],
  ...['['.repeat(5_000) + ']'.repeat(5_000), `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
]

export interface Attack {
  readonly operation: Operation
  /** The path of the value. */
  readonly path: readonly string[]
  readonly value: string
  readonly body: string
}

type Tree = { readonly [name: string]: unknown }

/** All paths of an operation's input: those of its schema, those of its example, and an unknown one. */
function places(operation: Operation, valid: Tree): string[][] {
  const { properties = {} } = operation.input as { properties?: Record<string, { properties?: object }> }
  const top = Object.keys(properties).map((name) => [name])
  const inside = Object.entries(properties).flatMap(([name, schema]) =>
    Object.keys({ ...schema.properties, ...(valid[name] as object | undefined) }).map((member) => [name, member]),
  )
  const deeper = inside.flatMap(([name = '', member = '']) => {
    const value = (valid[name] as Tree | undefined)?.[member]
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value).map((leaf) => [name, member, leaf]) : []
  })
  const nested = inside.filter(
    (path) => Object.hasOwn(properties, path[0] ?? '') && typeof valid[path[0] ?? ''] !== 'string' && !Array.isArray(valid[path[0] ?? '']),
  )
  return [[], ...top, ...nested, ...deeper, ['Nonsense'], ['__proto__'], ['constructor']]
}

const MARK = '\u{f0000}hostile\u{f0000}'

/** The valid input with one value replaced. */
function bodyWith(valid: Tree, path: readonly string[], value: string): string {
  const put = (tree: Tree, [name, ...rest]: readonly string[]): unknown => {
    if (name === undefined) return MARK
    const entries = Object.entries(tree).filter(([member]) => member !== name)
    const inner = Object.hasOwn(tree, name) && typeof tree[name] === 'object' && tree[name] !== null ? (tree[name] as Tree) : {}
    // A Map, so that `__proto__` is an ordinary key.
    return Object.fromEntries([...entries, [name, put(inner, rest)]])
  }
  return JSON.stringify(put(valid, path)).replace(JSON.stringify(MARK), () => value)
}

export function attacksOn(operation: Operation, valid: Tree): Attack[] {
  return places(operation, valid).flatMap((path) => HOSTILE.map((value) => ({ operation, path, value, body: bodyWith(valid, path, value) })))
}
