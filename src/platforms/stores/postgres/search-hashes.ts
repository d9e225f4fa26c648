import { SEARCHED_TYPES } from '../../../contract/search.ts'

/** How many rows a block has, about: fewer of them, and a rare word is looked for in more blocks; more of them, and more rows with a common word are sorted. */
export const BLOCK_ROWS = 16_384

/** Bits that are the same for all hashes of a block: they are neighbours in the index, so that what is written goes to few of its pages. */
const BLOCK_BITS = 10

/** Longer than any part of a word. */
export const ownerGram = (owner: string) => `ownerid ${owner}`

/**
 * A part of a word, or an owner, as a number that is another one in each block: so the index finds the rows of some blocks, and a search reads the newest first and no
 * others once it has found enough. Two may share a number: what is found is compared with the words.
 */
export function hashesIn(workspace: number, type: string, block: number): (gram: string) => number {
  const of = `${workspace} ${SEARCHED_TYPES.indexOf(type)}`
  const high = hashOf(`${of} ${block}`) << (32 - BLOCK_BITS)
  return (gram) => high | (hashOf(`${of} ${gram}`) >>> BLOCK_BITS)
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
  return hash ^ (hash >>> 16)
}
