import { CrmError, type Fault } from 'crm-connector'
import { ERROR_TEXTS } from 'crm-connector/contract'
import { labelOf } from './field-names.ts'

/** What to do about a write of which nobody knows whether it was carried out: where its key is kept, and where it is not. */
export const REPEAT = 'Press the same button again, and change nothing before: it is never done twice.'
const CHECK_FIRST = 'Look whether it was before you do it again.'

interface Words {
  readonly title: string
  readonly text: string
}

const NO_ANSWER = 'The service did not answer'
/** What the client says of an answer that somebody else gave. */
const FOREIGN_ANSWER = /answered (\d+) with .* that is no answer of this service/s
/** What is said to programs: requests, headers and options of the client. */
const FOR_PROGRAMS = /\b(?:GET|POST) \/|\bheader\b|Idempotency-Key|idempotencyKey|Confirmation-Token|Authorization|baseUrl|\bCursor\b|\bAfter\b/

/** Where the service said nothing itself, it is the console that knows what to say. */
function ownWords({ code, hint, message, requestId }: CrmError): Words | undefined {
  if (code === 'outcome_unknown') return { title: 'It may or may not have been saved', text: hint === REPEAT ? REPEAT : CHECK_FIRST }
  if (requestId !== undefined) return undefined
  const [, status] = FOREIGN_ANSWER.exec(message) ?? []
  if (status !== undefined)
    return {
      title: NO_ANSWER,
      text: `Something in between answered ${status} instead. Try again in a moment; if that does not help, tell whoever runs the service.`,
    }
  return code === 'platform_unavailable' ? { title: NO_ANSWER, text: 'Check your connection, and try again in a moment.' } : undefined
}

/** A refusal with a heading of its own. */
export function errorWords(error: CrmError): Words {
  return ownWords(error) ?? { title: ERROR_TEXTS[error.code]?.title ?? 'That did not work', text: messageOf(error) }
}

/** What went wrong, and what to do about it, in words for a person. */
export function messageOf(error: unknown): string {
  if (!(error instanceof CrmError)) return error instanceof Error ? error.message : String(error)
  const own = ownWords(error)
  if (own) return `${own.title}. ${own.text}`
  const text = error.errors?.some(({ message }) => error.message.includes(message)) ? error.errors.map((fault) => faultText(fault)).join(' ') : error.message
  const hint = error.hint && !FOR_PROGRAMS.test(error.hint) && !text.includes(error.hint) ? ` ${error.hint}` : ''
  return text + hint
}

/** What is wrong with one input. The service calls it by its path; a person knows it by its label. */
export function faultText({ field, message, expected, didYouMean }: Fault, label = labelOfPath(field)): string {
  const text = message.startsWith(`${field} `) ? label + message.slice(field.length) : message
  return [text, expected && !text.includes(expected) && `Expected ${expected}.`, didYouMean && !text.includes(didYouMean) && `Did you mean ${didYouMean}?`]
    .filter(Boolean)
    .join(' ')
}

const INPUTS: { readonly [name: string]: string } = { OrderBy: 'The order', Select: 'The choice of columns', Filters: 'The filter' }

/** `Filters.CreatedDate.gte` is the filter by Created; `FieldsToUpdate.Email` and `Fields.Email.Value` are the field itself. */
function labelOfPath(field: string): string {
  const [first = '', second] = field.split('.')
  if (second === undefined) return INPUTS[first] ?? labelOf(first)
  if (first === 'Filters') return `The filter by ${labelOf(second)}`
  if (first === 'FieldsToUpdate' || first === 'Fields') return labelOf(second)
  return INPUTS[first] ?? field
}
