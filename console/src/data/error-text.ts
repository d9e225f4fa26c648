import { CrmError, type Fault } from 'crm-connector'
import { ERROR_TEXTS } from 'crm-connector/contract'
import { exampleIn } from '../forms/typed-number.ts'
import { labelOf } from './field-names.ts'

/** What to do about a write with unknown outcome: if its idempotency key is kept, and if not. */
export const REPEAT = 'Press the same button again without changing anything: it is never saved twice.'
const CHECK_FIRST = 'Check whether it was saved before you try again.'

interface Words {
  readonly title: string
  readonly text: string
}

const CHANGED_MEANWHILE: Words = {
  title: 'It has been changed meanwhile',
  text: 'Open it to see how it is now, and make your change again if it still applies.',
}

const NO_ANSWER = 'The service did not answer'
/** The SDK's message for a response that is not from the service, for instance from a proxy. */
const FOREIGN_ANSWER = /answered (\d+) with .* that is no answer of this service/s
/** Hints that only help programs: requests, headers and options of the SDK. */
const FOR_PROGRAMS = /\b(?:GET|POST) \/|\bheader\b|Idempotency-Key|idempotencyKey|Confirmation-Token|Authorization|baseUrl|\bCursor\b|\bAfter\b/

/** The console's own text where the service sent none, or one for programs. */
function ownWords({ code, hint, message, requestId, errors }: CrmError): Words | undefined {
  if (code === 'conflict' && errors?.some(({ field }) => field === 'IfRevision')) return CHANGED_MEANWHILE
  if (code === 'outcome_unknown') return { title: 'It may or may not have been saved', text: hint === REPEAT ? REPEAT : CHECK_FIRST }
  if (requestId !== undefined) return undefined
  const [, status] = FOREIGN_ANSWER.exec(message) ?? []
  if (status !== undefined)
    return {
      title: NO_ANSWER,
      text: `Another server, perhaps a proxy, answered ${status} instead. Try again in a moment. If that does not help, tell your admin.`,
    }
  return code === 'platform_unavailable' ? { title: NO_ANSWER, text: 'Check your connection and try again.' } : undefined
}

/** The title and text of an error. */
export function errorWords(error: CrmError): Words {
  return ownWords(error) ?? { title: ERROR_TEXTS[error.code]?.title ?? 'The call failed', text: messageOf(error) }
}

/** What went wrong and what to do, in one text. */
export function messageOf(error: unknown): string {
  if (!(error instanceof CrmError)) return error instanceof Error ? error.message : String(error)
  const own = ownWords(error)
  if (own) return `${own.title}. ${own.text}`
  const text = error.errors?.some(({ message }) => error.message.includes(message)) ? error.errors.map((fault) => faultText(fault)).join(' ') : error.message
  const hint = error.hint && !FOR_PROGRAMS.test(error.hint) && !text.includes(error.hint) ? ` ${error.hint}` : ''
  return text + hint
}

/** A text was given that is no number in any form that inputs take. */
const NO_NUMBER = / must be a (whole |)number(?: or null)?, not a text\.$/

/** A number is outside what its field holds. */
const BOUND = / must be at (?:most|least) (-?\d+)(?: or null)?\.$/

/** The message of a fault with the label of the field in place of its path. */
export function faultText({ field, message, expected, didYouMean }: Fault, label = labelOfPath(field)): string {
  const text = message.startsWith(`${field} `) ? label + message.slice(field.length) : message
  const [, whole] = NO_NUMBER.exec(message) ?? []
  if (whole !== undefined)
    return `${text.replace(NO_NUMBER, ` must be a ${whole}number.`)} Type it like ${whole === '' ? exampleIn() : '1500'}: 1.500 can be read in two ways.`
  const [, bound] = BOUND.exec(message) ?? []
  if (bound !== undefined) return text.replace(bound, Number(bound).toLocaleString())
  return [text, expected && !text.includes(expected) && `Expected ${expected}.`, didYouMean && !text.includes(didYouMean) && `Did you mean ${didYouMean}?`]
    .filter(Boolean)
    .join(' ')
}

const INPUTS: { readonly [name: string]: string } = { OrderBy: 'The order', Select: 'The columns', Filters: 'The filter' }

/** `Filters.CreatedDate.gte` is the filter by Created; `FieldsToUpdate.Email` and `Fields.Email.Value` are the field Email. */
export function labelOfPath(field: string): string {
  const [first = '', second] = field.split('.')
  if (second === undefined) return INPUTS[first] ?? labelOf(first)
  if (first === 'Filters') return `The filter by ${labelOf(second)}`
  if (first === 'FieldsToUpdate' || first === 'Fields') return labelOf(second)
  return INPUTS[first] ?? field
}
