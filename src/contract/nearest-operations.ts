import { distance, nearest } from './names.ts'
import type { Effect, Operation } from './operation.ts'

/** Words for what a call does, in the words of the operations. A name with one of them is only answered with operations of the same effect. */
const VERBS: { readonly [word: string]: readonly [effect: Effect, ...words: string[]] } = {
  ...only('read', 'get', 'describe', 'test'),
  ...meaning('read', ['search', 'get', 'many'], 'search'),
  ...meaning('read', ['get'], 'read', 'show', 'view', 'see', 'fetch', 'load', 'open', 'retrieve', 'lookup', 'inspect', 'display', 'preview', 'review'),
  ...meaning('read', ['get', 'current'], 'whoami'),
  ...meaning('read', ['get'], 'check', 'can', 'may', 'is', 'validate'),
  ...meaning('read', ['get', 'many'], 'list', 'find', 'query', 'select', 'filter', 'export', 'deleted', 'removed'),
  ...meaning('read', ['get', 'summary'], 'count', 'sum', 'summarize', 'summarise', 'total', 'report', 'stats'),
  ...meaning('create', ['create', 'add'], 'create', 'add', 'new', 'make', 'insert', 'register', 'log'),
  ...only('create', 'define'),
  ...meaning(
    'update',
    ['update'],
    'update',
    'edit',
    'modify',
    'set',
    'patch',
    'write',
    'assign',
    'rename',
    'move',
    'close',
    'reopen',
    'resolve',
    'win',
    'lose',
  ),
  ...meaning('update', ['upsert'], 'upsert', 'save', 'sync'),
  ...meaning('update', ['undo'], 'undo', 'restore', 'recover', 'undelete', 'revert', 'rollback'),
  ...only('update', 'convert', 'retire', 'replay', 'rotate', 'pause', 'resume', 'refuse', 'complete'),
  ...meaning('delete', ['delete', 'remove'], 'delete', 'remove', 'destroy', 'drop', 'purge', 'wipe', 'trash'),
  ...only('delete', 'revoke', 'erase', 'allow'),
}

function meaning(effect: Effect, words: readonly string[], ...synonyms: string[]) {
  return Object.fromEntries(synonyms.map((word) => [word, [effect, ...words] as const]))
}

function only(effect: Effect, ...words: string[]) {
  return Object.fromEntries(words.map((word) => [word, [effect, word] as const]))
}

/** What other systems call the records. */
const NOUNS: { readonly [word: string]: string } = {
  prospect: 'lead',
  deal: 'opportunity',
  ticket: 'case',
  issue: 'case',
  account: 'company',
  organization: 'company',
  organisation: 'company',
  person: 'contact',
  people: 'contact',
  customer: 'contact',
  reply: 'comment',
  history: 'change',
  audit: 'change',
}

const FILLERS = ['a', 'an', 'the', 'of', 'to', 'from', 'for', 'by', 'in', 'on', 'with', 'all']

/** What belongs to another record: `get_case_comments` is about comments. */
const ATTACHED = ['note', 'comment']

/** Words that many operations share, and that alone mean none of them. */
const COMMON = ['get', 'many', 'summary', 'create', 'add', 'update', 'upsert', 'delete', 'remove']

/** Verbs of which one may be meant by the other. */
const OVERWRITING = ['update', 'upsert']

const MAX_LENGTH = 80

const effectOf = (word: string) => VERBS[word]?.[0]
const isDelete = (word: string) => effectOf(word) === 'delete'

const verbsIn = (words: readonly string[]) => words.filter((word) => Object.hasOwn(VERBS, word))
/** `preview_delete_lead` and `undo_delete` do not delete. */
const verbOf = (said: readonly string[]) => VERBS[said.find((word) => !isDelete(word)) ?? said[0] ?? '']

/** Verbs that are also written short: `del_case`, `upd_lead`. */
const ABBREVIATED = ['create', 'update', 'delete', 'remove', 'describe', 'search']
const MIN_ABBREVIATION = 3

/** So short a word is near to many others; where it is all there is, only its letters in another order, or one more or less, are a slip. */
const SHORT = 4

/** A word of the vocabulary that was mistyped or abbreviated. Only a slip makes it one that writes: `delte` and `updaet`, but not `recover`, `undeleted` or `seek`. */
function corrected(word: string, vocabulary: readonly string[], isAlone: boolean): string {
  const long = word.length < MIN_ABBREVIATION ? undefined : ABBREVIATED.find((one) => one.startsWith(word))
  if (long !== undefined) return long
  const [near = word] = vocabulary.includes(word) ? [word] : nearest(word, vocabulary)
  const lettersOf = (text: string) => [...text].sort().join('')
  if (isAlone && word.length <= SHORT && near.length === word.length && lettersOf(near) !== lettersOf(word)) return word
  const effect = near === word ? 'read' : (effectOf(near) ?? 'read')
  if (effect === 'read') return near
  const isSlip = near[0] === word[0] && (effect === 'delete' ? word.length <= near.length : distance(word, near, 1) <= 1)
  return isSlip ? near : word
}

/**
 * The operations that an unknown name can mean, the nearest first: those that do the same to the same record, whatever the order and the words
 * (`delete_case` is `case_delete`). None where nothing agrees; and never one of another effect than the name says, so that a wrong name for a
 * read is not answered with a write.
 */
export function nearestOperations(typed: string, operations: readonly Operation[], most = 3): string[] {
  // Of a name that says what it does that counts: `add_leads_to_campaign` overwrites the status of a member, too.
  const known = operations.map(({ id, effect }) => ({ id, effect: effectOf(wordsOf(id)[0] ?? '') ?? effect, words: wordsOf(id) }))
  const vocabulary = [...new Set([...Object.keys(VERBS), ...Object.keys(NOUNS), ...known.flatMap(({ words }) => words)])]
  // `change_status` changes something, while `lead_changes` are what was changed.
  const words = wordsOf(typed.slice(0, MAX_LENGTH).replace(/^[Cc]hange(?=[^a-z])/, 'update'))
  const given = words.map((word) => corrected(word, vocabulary, words.length === 1))
  const said = verbsIn(given)
  const verb = verbOf(said)
  const [effect = 'read', ...verbs] = verb ?? []
  const nouns = given.filter((word) => !Object.hasOwn(VERBS, word) && !COMMON.includes(word)).map((word) => NOUNS[word] ?? word)
  const wanted = new Set([...verbs, ...given.filter((word) => COMMON.includes(word)), ...nouns])
  const isVerb = (word: string) => verbs.includes(word) || (OVERWRITING.includes(word) && verbs.some((one) => OVERWRITING.includes(one)))
  // Every change is undone, and every record type described, by the same operation.
  const general = verbs.find((word) => word === 'undo' || word === 'describe')
  const means = (words: readonly string[]) => {
    if (general) return words.includes(general)
    return nouns.length > 0 ? words.some((word) => nouns.includes(word)) : words.some((word) => wanted.has(word) && !COMMON.includes(word))
  }
  // What deletes is not guessed: it has the very verb, or is about nothing else.
  const isSafe = (words: readonly string[]) => effect !== 'delete' || words.some((word) => said.includes(word)) || words.every((word) => wanted.has(word))

  const attached = nouns.filter((word) => ATTACHED.includes(word))
  const fitting = known.filter((one) => one.effect === effect && means(one.words) && isSafe(one.words))
  const ofAttached = fitting.filter((one) => one.words.some((word) => attached.includes(word)))
  const alike = (ofAttached.length > 0 ? ofAttached : fitting)
    .map(({ id, words }) => {
      const shared = words.filter((word) => wanted.has(word)).length
      return { id, does: words.some(isVerb), score: 2 * shared - (words.length - shared) }
    })
    .sort((a, b) => b.score - a.score)
  const doing = alike.filter(({ does }) => does)
  if (alike.length > 0 || verb) return (doing.length > 0 ? doing : alike).slice(0, most).map(({ id }) => id)
  // Without a verb it may be a name that was typed without blanks; one that deletes is not guessed.
  return nearest(
    typed.toLowerCase(),
    known.filter((one) => one.effect !== 'delete').map(({ id }) => id),
  )
}

/** Whether a name is one for several calls at once: `run_batch`, `bulk_delete`, `mass_update`. One that says that it reads or undoes is not. */
export function meansBatch(typed: string): boolean {
  const words = wordsOf(typed.slice(0, MAX_LENGTH))
  const [effect, ...verbs] = verbOf(verbsIn(words)) ?? []
  return words.some((word) => /batch|bulk|^mass$/.test(word)) && effect !== 'read' && !verbs.includes('undo')
}

/** The words of a name in any spelling, in the singular: `getLeads`, `Get Leads` and `leads.get` have the same. */
function wordsOf(name: string): string[] {
  const words = name
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase()
    .split(/[^a-z]+/)
  return words.filter((word) => word !== '' && !FILLERS.includes(word)).map(singular)
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word
}
