const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

const EXPECTED = {
  value: 'a value',
  valueOrEnd: 'a value or ]',
  name: 'a name in double quotes',
  nameOrEnd: 'a name in double quotes or }',
  colon: 'a colon',
  more: 'a comma or the closing bracket',
  end: 'nothing more',
} as const

/**
 * Describes where a text stops being JSON.
 *
 * The engine's own message often lacks the position, and quotes the body, which may hold a secret.
 */
export function describeSyntaxError(text: string): string {
  const { at, expected } = findFault(text)
  const before = text.slice(0, at)
  const line = before.split('\n').length
  const column = at - before.lastIndexOf('\n')
  const where = at >= text.length ? `it ends too early, at line ${line}, column ${column}` : `at line ${line}, column ${column}`
  return `The body is not valid JSON: ${where}, where ${expected} was expected.`
}

function findFault(text: string): { at: number; expected: string } {
  const open: ('{' | '[')[] = []
  let state: keyof typeof EXPECTED = 'value'
  let at = 0
  const after = () => (open.length === 0 ? 'end' : 'more')

  while (true) {
    while (at < text.length && ' \t\r\n'.includes(text.charAt(at))) at += 1
    const char = text.charAt(at)
    const inside = open.at(-1)
    const fault = { at, expected: state === 'more' ? `a comma or ${inside === '{' ? '}' : ']'}` : EXPECTED[state] }
    if (char === '') return fault

    if (char === '}' || char === ']') {
      const closes =
        char === '}' ? inside === '{' && (state === 'nameOrEnd' || state === 'more') : inside === '[' && (state === 'valueOrEnd' || state === 'more')
      if (!closes) return fault
      open.pop()
      state = after()
      at += 1
    } else if (state === 'more' && char === ',') {
      state = inside === '{' ? 'name' : 'value'
      at += 1
    } else if (state === 'colon' && char === ':') {
      state = 'value'
      at += 1
    } else if (state === 'name' || state === 'nameOrEnd') {
      if (char !== '"') return fault
      const end = stringEnd(text, at)
      if ('fault' in end) return end.fault
      state = 'colon'
      at = end.at
    } else if (state === 'value' || state === 'valueOrEnd') {
      if (char === '{' || char === '[') {
        open.push(char)
        state = char === '{' ? 'nameOrEnd' : 'valueOrEnd'
        at += 1
      } else {
        const end = char === '"' ? stringEnd(text, at) : wordEnd(text, at)
        if ('fault' in end) return end.fault
        state = after()
        at = end.at
      }
    } else return fault
  }
}

type End = { readonly at: number } | { readonly fault: { at: number; expected: string } }

function stringEnd(text: string, start: number): End {
  let at = start + 1
  while (at < text.length) {
    const char = text.charAt(at)
    if (char === '"') return { at: at + 1 }
    if (char < ' ') return { fault: { at, expected: 'an escape such as \\n instead of a control character' } }
    if (char === '\\') {
      ESCAPE.lastIndex = at
      if (!ESCAPE.test(text)) return { fault: { at, expected: 'one of the escapes JSON knows' } }
      at = ESCAPE.lastIndex
    } else at += 1
  }
  return { fault: { at, expected: 'the closing double quote' } }
}

function wordEnd(text: string, at: number): End {
  WORD.lastIndex = at
  return WORD.test(text) ? { at: WORD.lastIndex } : { fault: { at, expected: EXPECTED.value } }
}
