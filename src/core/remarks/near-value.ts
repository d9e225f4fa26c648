import { distance } from '../../contract/names.ts'

/** From which length of the longer text on one or two characters may differ. */
const ONE = 4
const TWO = 8

/**
 * Whether two values are probably meant to be the same: alike but for case, blanks and punctuation, or for a slip of the keys; of short ones, for two
 * letters that are swapped. Two that differ in a digit are not, nor those of which one has a prefix: Phase 1 and Phase 2, Qualified and Unqualified.
 */
export function isNear(one: string, other: string): boolean {
  const [a, b] = [bare(one), bare(other)]
  if (a === b) return true
  if (digits(a) !== digits(b)) return false
  const length = Math.max(a.length, b.length)
  const most = length >= TWO && a[0] === b[0] ? 2 : length >= ONE || letters(a) === letters(b) ? 1 : 0
  return distance(a, b, most) <= most
}

const bare = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')
const letters = (text: string) => [...text].sort().join('')
const digits = (text: string) => text.replace(/\D+/g, ' ')
