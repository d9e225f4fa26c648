import { Turns } from '../../helpers/turns.ts'

const WORD = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y
const BLANKS = /[ \t\r\n]*/y
/** Neither a quote nor a backslash nor a control character. */
const PLAIN = /[ !#-[\]-\uffff]*/y
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
  const steps = describing(text)
  for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value
}

/** The same of a long text, with pauses. */
export async function describeSyntaxErrorInTurns(text: string): Promise<string> {
  const turns = new Turns()
  const steps = describing(text)
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    await turns.pause()
  }
}

/** How much is done between two pauses. */
const TOKENS = 100

function* describing(text: string): Generator<void, string> {
  const { at, expected } = yield* findFault(text)
  let line = 1
  let start = 0
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', start)) {
    start = end + 1
    line += 1
    if (line % TOKENS === 0) yield
  }
  const where = `at line ${line}, column ${at - start + 1}`
  return `The body is not valid JSON: ${at >= text.length ? `it ends too early, ${where}` : where}, where ${expected} was expected.`
}

function* findFault(text: string): Generator<void, { at: number; expected: string }> {
  const open: ('{' | '[')[] = []
  let state: keyof typeof EXPECTED = 'value'
  let at = 0
  const after = () => (open.length === 0 ? 'end' : 'more')

  for (let tokens = 1; ; tokens++) {
    if (tokens % TOKENS === 0) yield
    at = endOf(BLANKS, text, at)
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
    } else at = endOf(PLAIN, text, at)
  }
  return { fault: { at, expected: 'the closing double quote' } }
}

/** Where what a pattern matches here ends. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  pattern.test(text)
  return pattern.lastIndex
}

function wordEnd(text: string, at: number): End {
  WORD.lastIndex = at
  return WORD.test(text) ? { at: WORD.lastIndex } : { fault: { at, expected: EXPECTED.value } }
}
