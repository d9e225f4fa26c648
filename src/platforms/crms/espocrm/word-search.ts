import { recordType } from '../../../contract/operations.ts'
import { hasWords, isShort, searchedFields, searchedWords, searchTextOf, wordsOf } from '../../../contract/search-text.ts'
import type { StoredRecord } from '../../platform.ts'
import type { Place } from '../engine/tables.ts'
import type { Api } from './api.ts'
import { isNotOffered } from './errors.ts'
import type { Shape } from './shapes.ts'
import { all, any, type Item, item, LONGEST_QUERY, lengthOf } from './where.ts'

/** What of an address the rest of a request needs. */
const RESERVED = 400
/** How long a word may be in an address. */
const LONGEST_WORD = 45

/**
 * The newest records that have every word of a text, or part of one. EspoCRM's own search finds what begins with the whole text, in its name alone, so that
 * each word is asked for in each text of a record. Which letters are the same is for its database to say.
 */
export async function searchWords(
  api: Api,
  shape: Shape,
  text: string,
  { limit, page }: { readonly limit: number; readonly page: number },
): Promise<StoredRecord[]> {
  const searched = searchedWords(text)
  const attributes = attributesOf(shape)
  if (searched.length === 0 || attributes.length === 0) return []
  const { items, isWhole } = conditionsFor(text, searched[1]?.[0], attributes)
  if (items.length === 0) return []
  try {
    const { list } = await api.list(shape.object, { where: items, orderBy: 'createdAt', descending: true, size: isWhole ? Math.min(limit, page) : page })
    const records = list.map((row) => shape.record(row))
    return (isWhole ? records : records.filter((record) => hasWords(searchTextOf(shape.type, record), searched))).slice(0, limit)
  } catch (error) {
    // What the role does not show has no records.
    if (isNotOffered(error)) return []
    throw error
  }
}

/** The texts of a record: those that the contract searches, or all of a custom object. */
function attributesOf(shape: Shape): Place[] {
  if (shape.type === 'CustomObject') return shape.places.filter(({ kind }) => kind === 'longText' || kind === 'email' || kind === 'phone')
  return searchedFields(recordType(shape.type))
    .flatMap(({ name }) => shape.place(name) ?? [])
    .filter(({ filters }) => filters !== false)
}

/** Conditions for the words, the longest first, as many as an address has room for; without the others too much is found. */
function conditionsFor(text: string, digits: string | undefined, attributes: readonly Place[]): { readonly items: Item[]; readonly isWhole: boolean } {
  const words = [...new Set(text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])].sort((a, b) => b.length - a.length)
  const phones = digits === undefined ? [] : attributes.flatMap(({ name, kind }) => (kind === 'phone' ? [item('contains', `${name}Numeric`, digits)] : []))
  const asked: Item[] = []
  let room = LONGEST_QUERY - RESERVED - phones.reduce((sum, one) => sum + lengthOf(one), 0)
  for (const word of words) {
    const comparisons = attributes.flatMap((place) => anywhereIn(place, beginningOf(word)))
    // Of the first word, as much is asked as there is room for.
    while (asked.length === 0 && lengthIn(phones, comparisons) > room) comparisons.pop()
    room -= lengthIn(phones, comparisons)
    if (comparisons.length === 0 || room < 0) break
    asked.push(any(...comparisons))
  }
  const isWhole = asked.length === words.length && words.every((word) => beginningOf(word) === word)
  if (phones.length === 0) return { items: asked, isWhole }
  return { items: asked.length === 0 ? [] : [any(all(...asked), ...phones)], isWhole }
}

/** How much longer a word makes an address; beside phone numbers, it is in a further group. */
function lengthIn(phones: readonly Item[], comparisons: readonly Item[]): number {
  const one = any(...comparisons)
  return lengthOf(phones.length === 0 ? one : { type: 'or', value: [{ type: 'and', value: [one] }] })
}

/** As much of a word as is worth asking for. */
function beginningOf(word: string): string {
  let beginning = ''
  for (const letter of word) {
    if (encodeURIComponent(beginning + letter).length > LONGEST_WORD) break
    beginning += letter
  }
  return beginning
}

/** A word in a text, as it is typed and without accents. One or two letters are looked for at the beginning of words only. */
function anywhereIn({ name }: Place, word: string): Item[] {
  const [plain = word, ...more] = wordsOf(word)
  const spellings = [...new Set([word, more.length > 0 ? word : plain].map((one) => one.toLowerCase()))]
  return spellings.flatMap((one) => (isShort(one) ? [item('startsWith', name, one), item('contains', name, ` ${one}`)] : [item('contains', name, one)]))
}
