import { words } from '../../src/contract/record.ts'

/** Words in lower case, except at the start or end of a heading. */
const SMALL: ReadonlySet<string> = new Set(['a', 'an', 'and', 'as', 'at', 'by', 'for', 'if', 'in', 'of', 'on', 'or', 'the', 'to', 'with'])

/** Words that are always in capitals. */
const CAPITALS: { readonly [word: string]: string } = { id: 'ID', ids: 'IDs', url: 'URL', json: 'JSON', crm: 'CRM' }

/** A name or a label as n8n writes headings: `CreatedDate` is `Created Date`, `Lead id` is `Lead ID`. */
export function heading(text: string): string {
  const parts = text.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').split(/[\s_]+/)
  return parts
    .map((word, index) => {
      const small = word.toLowerCase()
      if (CAPITALS[small]) return CAPITALS[small]
      return index > 0 && index < parts.length - 1 && SMALL.has(small)
        ? small
        : small.replace(/(^|-)([a-z])/g, (_, hyphen: string, letter: string) => hyphen + letter.toUpperCase())
    })
    .join(' ')
}

const plainly = (name: string) => words(name).toLowerCase()

const withArticle = (name: string) => `${/^(?!us)[aeiou]/.test(name) ? 'an' : 'a'} ${name}`

/** The phrases of operations that are not simply verb and record. */
const ACTIONS: { readonly [verb: string]: (one: string, many: string) => string } = {
  getMany: (_, many) => `get many ${many}`,
  getSummary: (_, many) => `get a summary of ${many}`,
  getCurrent: (one) => `get the current ${one.replace(/^an? /, '')}`,
  addNote: (one) => `add a note to ${one}`,
  addComment: (one) => `add a comment to ${one}`,
  addToCampaign: (one) => `add ${one} to a campaign`,
  removeFromCampaign: (one) => `remove ${one} from a campaign`,
  getManyDeliveries: () => 'get many deliveries',
  getManyAttempts: () => 'get many attempts of deliveries',
  replayDeliveries: (one) => `replay deliveries of ${one}`,
  erase: () => 'erase a record permanently',
  describe: () => 'describe the record types and their fields',
}

/** The action of an operation in n8n's style: `Get a lead`, `Get many leads`. */
export function action(verb: string, group: string, resource: string): string {
  const one = withArticle(plainly(resource))
  return capital(ACTIONS[verb]?.(one, plainly(group)) ?? `${plainly(verb)} ${one}`)
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Sorted as n8n's linter wants it. */
export const sorted = <T>(all: readonly T[], name: (one: T) => string) => all.toSorted((a, b) => name(a).localeCompare(name(b), 'en'))

/** A text of the contract in n8n's style: without backticks, and with a full stop only after several sentences. */
export function remark(text: string): string {
  const plain = text.replaceAll('`', '').replace(/\b(ids?|urls?|json)\b/gi, (word) => CAPITALS[word.toLowerCase()] ?? word)
  const sentences = capital(plain).replace(/\.$/, '').split('. ')
  return sentences.length === 1 ? (sentences[0] ?? '') : `${sentences.join('. ')}.`
}

/** The description of a boolean in n8n's style. */
export const whether = (text: string) => (/^whether\b/i.test(text) ? remark(text) : `Whether ${text.charAt(0).toLowerCase()}${remark(text).slice(1)}`)
