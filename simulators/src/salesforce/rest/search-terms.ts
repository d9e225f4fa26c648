import { Refusal } from '../errors.ts'

/** The words of a text, as an index has them: in lower case and without accents. */
export const tokensOf = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+|\|/gu) ?? []

type Test = (tokens: readonly string[]) => boolean

const TOKEN = /\s*(?:([()])|"((?:\\.|[^"\\])*)"|((?:\\.|[^\s()"\\])+))/gy

interface Token {
  readonly sign?: string
  readonly phrase?: string
  readonly word?: string
}

function tokenized(text: string): Token[] {
  const found: Token[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text)
    if (!match) throw malformed(text)
    const [, sign, phrase, word] = match
    found.push(sign !== undefined ? { sign } : phrase !== undefined ? { phrase } : { word: word ?? '' })
  }
  return found
}

const malformed = (text: string) => new Refusal(400, 'MALFORMED_SEARCH', `The search term is malformed: ${text}`)

/** Compiles `ada* AND (love* OR "hopper grace")`. A word matches whole words, with `*` those that begin with it; words side by side must all be there. */
export function termTest(text: string): Test {
  const tokens = tokenized(text)
  let at = 0
  const operator = () => tokens[at]?.word?.toUpperCase()

  function alternatives(): Test {
    const parts = [all()]
    while (operator() === 'OR') {
      at++
      parts.push(all())
    }
    return (words) => parts.some((part) => part(words))
  }

  function all(): Test {
    const parts: Test[] = []
    for (let next = tokens[at]; next && next.sign !== ')' && operator() !== 'OR'; next = tokens[at]) {
      if (operator() === 'AND') {
        at++
        if (parts.length === 0) throw malformed(text)
        continue
      }
      parts.push(one())
    }
    if (parts.length === 0) throw malformed(text)
    return (words) => parts.every((part) => part(words))
  }

  function one(): Test {
    const { sign, phrase, word } = tokens[at++] ?? {}
    if (sign === '(') {
      const inner = alternatives()
      if (tokens[at++]?.sign !== ')') throw malformed(text)
      return inner
    }
    const plain = phrase ?? word
    if (plain === undefined) throw malformed(text)
    if (word !== undefined && /(?:^|[^\\])[&|!{}[\]^~:'+-]/.test(word)) throw malformed(text)
    return sequence(plain)
  }

  const test = alternatives()
  if (at < tokens.length) throw malformed(text)
  return test
}

/** The words of a term one after the other, the last as the beginning of one where it ends with `*`. */
function sequence(term: string): Test {
  const begins = /(?:^|[^\\])\*$/.test(term)
  const wanted = tokensOf(term.replace(/\\(.)/g, '$1')).filter((token) => token !== '|')
  const fits = (words: readonly string[], from: number) =>
    wanted.every((word, i) => (begins && i === wanted.length - 1 ? (words[from + i] ?? '').startsWith(word) : words[from + i] === word))
  return (words) => wanted.length > 0 && words.some((_, from) => fits(words, from))
}
