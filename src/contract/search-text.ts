import { recordType } from './operations.ts'
import type { RecordType } from './record.ts'

/** The kinds of fields that a search covers. Ids and choices are filtered by instead. */
const SEARCHED_KINDS: ReadonlySet<string> = new Set(['text', 'email', 'phone', 'longText'])

/** How much of one value is searched, and of a record: enough for what people look for, and a bound for the index. */
const MOST_OF_VALUE = 2_000
const MOST_OF_RECORD = 10_000

/** The fields of a record type that a search covers. */
export function searchedFields(type: RecordType): readonly { readonly name: string; readonly kind: string }[] {
  let found = SEARCHED_FIELDS.get(type)
  if (!found) {
    found = Object.entries(type.fields).flatMap(([name, { kind, access }]) => (SEARCHED_KINDS.has(kind) && access !== 'secret' ? [{ name, kind }] : []))
    SEARCHED_FIELDS.set(type, found)
  }
  return found
}
const SEARCHED_FIELDS = new WeakMap<RecordType, readonly { readonly name: string; readonly kind: string }[]>()

export interface SearchedText {
  readonly name: string
  readonly kind: string
  readonly text: string
}

/** The texts of a record that a search covers. */
export function textsIn(type: RecordType, record: { readonly [field: string]: unknown }): SearchedText[] {
  const texts: SearchedText[] = []
  for (const { name, kind } of searchedFields(type)) addText(texts, name, kind, record[name])
  if (type.userDefined) for (const [name, value] of Object.entries(Object(record[type.userDefined]))) addText(texts, name, 'text', value)
  return texts
}

/** Adds the texts of fields that the contract does not have. Their kinds are the workspace's: what looks like a phone number counts as one. */
function addFurther(texts: SearchedText[], { fields }: RecordType, record: { readonly [field: string]: unknown }): void {
  for (const name in record) {
    const value = record[name]
    if (typeof value === 'string' && !Object.hasOwn(fields, name)) addText(texts, name, PHONE.test(value) ? 'phone' : 'text', value)
  }
}

function addText(texts: SearchedText[], name: string, kind: string, value: unknown): void {
  if (typeof value === 'string' && value !== '') texts.push({ name, kind, text: value })
}

const PHONE = /^[+\d\s()./-]+$/

/** What a record is found and ranked by. */
export interface SearchText {
  /** Its words as one text, each once, with a space before and after each. Empty where there are none. */
  readonly words: string
  /** For each of the words, the best place where it stands (`PLACES`), as a digit. */
  readonly places: string
}

/** From the worst to the best: a word of a long text, all of one, a word of an e-mail address, all of one, a word of another field, all of one. */
const PLACES = { longText: { word: 0, all: 1 }, email: { word: 2, all: 3 }, other: { word: 4, all: 5 } } as const

/** The words of a record. Two records have the same where they differ in case and accents only. */
export function searchTextIn(type: string, record: { readonly [field: string]: unknown }): SearchText {
  const known = recordType(type)
  const texts = textsIn(known, record)
  addFurther(texts, known, record)
  return searchTextFrom(texts)
}

/** The words of texts. */
export function searchTextFrom(texts: readonly SearchedText[]): SearchText {
  const places = new Map<string, number>()
  let room = MOST_OF_RECORD
  for (const { kind, text: whole } of texts) {
    if (room <= 0) break
    const text = whole.slice(0, Math.min(MOST_OF_VALUE, room))
    room -= text.length
    const own = kind === 'phone' ? [...wordsOf(text), ...phoneDigits(text)] : wordsOf(text)
    const place = PLACES[kind === 'longText' || kind === 'email' ? kind : 'other'][own.length === 1 ? 'all' : 'word']
    for (const word of own) if (place > (places.get(word) ?? -1)) places.set(word, place)
  }
  return { words: places.size === 0 ? '' : ` ${[...places.keys()].join(' ')} `, places: [...places.values()].join('') }
}

/** The words alone. */
export const searchTextOf = (type: string, record: { readonly [field: string]: unknown }) => searchTextIn(type, record).words

/** The words of a text in lower case and without accents: runs of letters and digits, so that an e-mail address has several. */
export function wordsOf(text: string): string[] {
  if (ASCII.test(text)) return text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const plain = text
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toLowerCase()
    .replace(LETTERS, (letter) => PLAIN[letter] as string)
  return plain.match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const ASCII = /^[\x00-\x7f]*$/

/** Marks that are written above or below letters and that a search may leave out. Those that are vowels, as in Hindi and Thai, stay. */
const ACCENTS = /[\u0300-\u036f]|[\u0591-\u05c7]|[\u064b-\u065f]|[\u1ab0-\u1aff]|[\u1dc0-\u1dff]|[\u20d0-\u20ff]|[\ufe20-\ufe2f]/g

/** Letters that Unicode does not take apart, and what is typed in their place. */
const PLAIN: { readonly [letter: string]: string } = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', đ: 'd', ð: 'd', ł: 'l', þ: 'th', ħ: 'h', ı: 'i', ŧ: 't', ς: 'σ' }
const LETTERS = /[ßæœøđðłþħıŧς]/g

/** The digits of a phone number as one word, and without the zero in `+44 (0)20`, which is dialled inside the country only. */
export function phoneDigits(text: string): string[] {
  const spellings = [text, text.replace(/\(0\)/g, '')].map((spelling) => digitsOf(spelling))
  return spellings.filter((digits, i) => digits.length >= FEWEST_DIGITS && spellings.indexOf(digits) === i)
}

const digitsOf = (text: string) => text.normalize('NFKD').replace(/\D/g, '')

/** Fewer digits than this are not taken for a phone number. */
const FEWEST_DIGITS = 5

/** What a search looks for: records that have all words of at least one of these lists. */
export type SearchedWords = readonly (readonly string[])[]

/**
 * The words that a search text asks for. What looks like a phone number is also looked for by its digits, without those that differ between spellings: the zeros before
 * it, and the zero in brackets; one with a country code also as it is dialled inside the country.
 */
export function searchedWords(text: string): SearchedWords {
  const words = [...new Set(wordsOf(text))]
  if (words.length === 0) return []
  const digits = PHONE.test(text) ? digitsOf(text.replace(/\(0\)/g, '')).replace(/^0+/, '') : ''
  if (digits.length < FEWEST_DIGITS) return [words]
  const isWord = words.length === 1 && words[0] === digits
  const hasCode = /^\s*(?:\+|00)/.test(text)
  return [words, ...(isWord ? [] : [[digits]]), ...(hasCode ? insideCountry(digits).map((number) => [number]) : [])]
}

/** A number without its country code of one to three digits. In North America there is no zero before it. */
function insideCountry(digits: string): string[] {
  const without = [1, 2, 3].map((length) => digits.slice(length)).filter(({ length }) => length >= FEWEST_NATIONAL)
  return without.map((rest, i) => (i === 0 && digits.startsWith('1') ? rest : `0${rest}`))
}

/** Fewer digits than this are no number without a country code. */
const FEWEST_NATIONAL = 7

/** Whether a text of `searchTextOf` has all words of one of the lists. */
export const hasWords = (text: string, searched: SearchedWords) => searched.some((words) => words.every((word) => text.includes(partFor(word))))

/** The part that a text of `searchTextOf` contains where it has the word. One or two letters are looked for at the beginning of words only, except in scripts that are written without spaces. */
export const partFor = (word: string) => (isShort(word) && !UNSPACED.test(word) ? ` ${word}` : word)

/** Scripts that are written without spaces, or in which two letters make a word. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Whether a word has one or two letters. */
export const isShort = (word: string) => word.length <= 2 || (word.length <= 4 && [...word].length <= 2)

/** How much a match counts: in all of a value, a word, the beginning of one, or a part of one. */
const WHOLE = 8
const WORD = 4
const BEGINNING = 2
const PART = 1
/** How many times as much it counts in long texts, e-mail addresses and other fields. */
const TIMES = [1, 3, 4] as const

/** How well a record matches words, each of which counts where it matches best. */
export function scoreOf(searched: readonly string[], { words, places }: SearchText): number {
  let score = 0
  for (const word of searched) {
    let best = 0
    let number = -1
    let counted = 0
    for (let at = words.indexOf(word); at > 0; at = words.indexOf(word, at + 1)) {
      for (; counted < at; counted++) if (words.charCodeAt(counted) === SPACE) number++
      const place = Number(places[number])
      const isBeginning = words.charCodeAt(at - 1) === SPACE
      const isWord = isBeginning && words.charCodeAt(at + word.length) === SPACE
      const isAll = place % 2 === 1
      const quality = isWord ? (isAll ? WHOLE : WORD) : isBeginning ? BEGINNING : PART
      best = Math.max(best, quality * (TIMES[Math.floor(place / 2)] ?? 1))
    }
    score += best
  }
  return score
}

const SPACE = 32
