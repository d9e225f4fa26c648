import type { Field } from '../../contract/fields.ts'
import type { Operation } from '../../contract/operation.ts'
import { words } from '../../contract/record.ts'
import { isForAdmins } from '../../contract/scopes.ts'
import { quotedChoice } from '../../contract/visible-text.ts'
import type { Schema } from './schema.ts'

/** What an argument is for, in a few words, where the contract has many. */
const TEXTS: { readonly [argument: string]: string } = {
  Limit: 'Page size',
  Cursor: 'NextCursor',
  After: 'NextCursor',
  OrderBy: 'get_many: Amount desc',
  Select: 'get_many: fields',
  Include: 'Reads: also Owner',
  Fresh: 'Reads: no copy',
  Detail: 'full: all of it',
  Budget: 'Most tokens',
  IfRevision: 'Writes: Revision read',
  IdempotencyKey: 'Writes: once per key',
  DryRun: 'Writes: only report',
  ConfirmationToken: 'Once confirmed',
  MatchBy: 'Fields to match',
  UserID: 'Owner',
  Publish: 'Public',
  Text: 'Words',
  RecordTypes: 'As Lead',
  RecordType: 'As Lead',
  ObjectName: 'Kind of object',
}

/** What an argument is for: values to choose from where one has to be given, or else its label. */
export function argumentText({ record, tier }: Operation, name: string, { description = '', examples = [] }: Schema = {}): string {
  const field = record.fields[name]
  const values = !field || name === record.state || field.required ? some(examples as readonly unknown[]) : ''
  if (values !== '') return values
  const [, id] = /^The id of the (.+)\.$/.exec(description) ?? []
  if (id !== undefined) return id.replace(/ that .*|, instead .*/, '')
  const [sentence = ''] = description.split(/[.;](?: |$)/)
  return TEXTS[name] ?? (field && !(isForAdmins(tier) && sentence) ? labelOf(field) : sentence || words(name))
}

/** How much is shown of a label that an account has chosen. */
const LABEL_LENGTH = 24

/** Such a label could be taken for words of the server. */
function labelOf({ label, extra }: Field): string {
  if (!extra) return label
  return quotedChoice(label.length > LABEL_LENGTH ? `${label.slice(0, LABEL_LENGTH).toWellFormed()}…` : label)
}

/** How many values of a choice are shown, and how many bytes of them; an account may have any number. */
const EXAMPLES = 5
const EXAMPLE_BYTES = 64

/** As many of several values as there is room for. */
function some(values: readonly unknown[]): string {
  if (values.length < 2) return ''
  const shown = values
    .slice(0, EXAMPLES)
    .map((value) => quotedChoice(String(value)))
    .reduce((head, one) => {
      const longer = head === '' ? one : `${head}, ${one}`
      return Buffer.byteLength(longer) < EXAMPLE_BYTES ? longer : head
    }, '')
  return shown && `e.g. ${shown}`
}
