import { isShort, type SearchedWords, UNSPACED } from '../../../contract/search-text.ts'

/**
 * Parts of words that an index has, besides the first one and two letters: the longer ones are rare, so that longer words are found by few of them. There are
 * few digits, so that three of them are in many numbers.
 */
const SHORT = 3
const DIGITS = 4
const LONG = 5

/**
 * The parts of the words of a text (see `searchTextOf`) by which an index finds it. An index that was written with other parts than these has to be rebuilt: what is
 * removed from it is computed again.
 */
export function gramsOf(text: string): Set<string> {
  const grams = new Set<string>()
  for (const word of text.split(' ')) {
    if (word === '') continue
    const letters = lettersOf(word)
    const { length } = letters
    const starts = UNSPACED.test(word) ? length : 1
    for (let i = 0; i < starts; i++) {
      grams.add(part(letters, i, 1))
      if (i + 1 < length) grams.add(part(letters, i, 2))
    }
    for (let i = 0; i + SHORT <= length; i++) grams.add(part(letters, i, SHORT))
    for (let i = 0; i + LONG <= length; i++) grams.add(part(letters, i, LONG))
    for (const [digits] of word.matchAll(NUMBERS)) for (let i = 0; i + DIGITS <= digits.length; i++) grams.add(digits.slice(i, i + DIGITS))
  }
  return grams
}

/** The parts that a text with these words has. Others may have them too: what is found has to be compared with the words. */
export const gramsFor = (searched: SearchedWords): string[][] => searched.map((words) => [...new Set(words.flatMap(gramsIn))].slice(0, MOST_GRAMS))

/** More of them would not make a search more exact that is compared with the words in any case. */
const MOST_GRAMS = 12

function gramsIn(word: string): string[] {
  if (isShort(word)) return [word]
  const letters = lettersOf(word)
  if (/^[0-9]{4}$/.test(word)) return [word]
  const size = letters.length < LONG ? SHORT : LONG
  const last = letters.length - size
  const grams: string[] = []
  for (let i = 0; i < last; i += size === LONG ? LONG : 1) grams.push(part(letters, i, size))
  grams.push(part(letters, last, size))
  return grams
}

const NUMBERS = /[0-9]{4,}/g

/** A text of ASCII is its own letters, which is quicker. */
const lettersOf = (word: string): string | string[] => (/[^0-9a-z]/.test(word) ? [...word] : word)

const part = (letters: string | string[], at: number, size: number): string =>
  typeof letters === 'string' ? letters.slice(at, at + size) : letters.slice(at, at + size).join('')
