import { RECORD_TYPES } from '../../contract/operations.ts'

/**
 * An upper bound of the tokens of a text, without a tokenizer, whose vocabulary would be larger than this service. It is never below what o200k
 * counts, which tests show with hostile texts; of records it is about a third more, of prose more than twice as much, which leaves room for other
 * vocabularies. Once it exceeds `most`, the rest is not counted.
 */
export function tokensOf(text: string, most = Number.POSITIVE_INFINITY): number {
  // In thirds of a token, so that sums are exact.
  let sum = 0
  for (let at = 0, end = 0; at < text.length && sum <= 3 * most; at = end) {
    const code = text.charCodeAt(at)
    end = endOf(text, at, code)
    sum += isLetter(code) ? word(text, at, end) : isDigit(code) ? 3 * Math.ceil((end - at) / 3) : code === SPACE ? spaces(text, end - at, end) : other(code)
  }
  return Math.ceil(sum / 3)
}

const SPACE = 32
const QUOTE = 34
const isDigit = (code: number) => code >= 48 && code <= 57
const isLower = (code: number) => code >= 97 && code <= 122
const isLetter = (code: number) => isLower(code) || (code >= 65 && code <= 90)

/** Where a word, a number, a run of spaces, what separates two values, or any other character ends. */
function endOf(text: string, at: number, code: number): number {
  const isSame = isLetter(code) ? isLetter : isDigit(code) ? isDigit : code === SPACE ? (one: number) => one === SPACE : undefined
  let end = at + 1
  if (isSame) while (isSame(text.charCodeAt(end))) end += 1
  else if (code === QUOTE && SEPARATORS.has(text.charCodeAt(end))) end += text.charCodeAt(end + 1) === QUOTE ? 2 : 1
  else if (code >= 0xd800 && code < 0xdc00) end += 1
  return end
}

/** A comma or a colon after a quotation mark is a token together with it. */
const SEPARATORS = new Set([44, 58])

/** A pair of letters that is common is rarely cut by a tokenizer, once in four letters at most; of all others each letter may be a token. Long words are rarely of a language. */
function word(text: string, at: number, end: number): number {
  const known = isLower(text.charCodeAt(at)) ? undefined : NAMES.get(text.slice(at, end))
  if (known !== undefined) return known
  let sum = 3 + Math.max(0, Math.min(3, ((end - at) >> 1) - 1))
  for (let i = at + 1; i < end; i++) sum += COMMON[pair(text, i - 1)] ? (i - at < 12 ? 1 : 2) : 3
  return sum
}

/** A single space is part of the word or the quotation that it precedes. */
function spaces(text: string, count: number, end: number): number {
  if (count > 1) return 6 + 3 * Math.floor(count / 16)
  const next = text.charCodeAt(end)
  return next === QUOTE ? 0 : isLetter(next) ? 1 : 3
}

/** Of a character outside of ASCII each byte may be a token, except of letters that are known to be one. */
function other(code: number): number {
  if (code < 128 || LETTERS.some(([first, last]) => code >= first && code <= last)) return 3
  return code < 0x800 ? 6 : code >= 0xd800 && code < 0xdc00 ? 12 : 9
}

/** Latin, Greek, Russian, Hebrew and Arabic. */
const LETTERS = [
  [0xa1, 0xda],
  [0xdc, 0xff],
  [0x3b1, 0x3ce],
  [0x410, 0x44f],
  [0x5d0, 0x5ea],
  [0x621, 0x63a],
  [0x641, 0x64a],
] as const

const pair = (text: string, at: number) => text.charCodeAt(at) * 128 + text.charCodeAt(at + 1)

const COMMON = new Uint8Array(128 * 128)
for (const letters of `th re he or on er at it an te es co in ed se ha en ec st nd is as le ne ea ts ti nt ve ch de al cr to ce ac ll of ng me ot ar ad pe fi rm no
  et ke el id ou ct ge io so ho fo rd ro ri ta wh rs ma pa li ca ns un us om ds ow ev wi ie la op ul be am em wa po na lo ey ut ra ur da ai ld si ss ir hi mp
  il we sp ty ef ex pl rt tr ic wo im nc mi ap ag oo sa ig pi ol os pr ry di up oc by mo ay ni ab ee sh va cl ck sc do vi ru tu iv ba qu gi su ly ov um fr`.split(
  /\s+/,
))
  COMMON[pair(letters, 0)] = 1

/** Names of the contract are made of words that are mostly one token, such as the two of `FirstName`. */
const NAMES: ReadonlyMap<string, number> = new Map(
  RECORD_TYPES.flatMap(({ fields, id }) => [id, ...Object.keys(fields)]).map((name) => [name, 3 * (name.match(/[A-Z](?:[a-z]|$)/g)?.length ?? 1) + 1]),
)
