import type { CallToolResult } from '@modelcontextprotocol/server'
import { type CrmError, ERRORS, type ErrorCode, type Fault } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { briefAnswer, receiptOf, type Written } from './brief.ts'
import { briefRehearsal, rehearsalInWords } from './brief-rehearsal.ts'
import { isObject, type Members } from './shorten.ts'
import { wordsOf } from './words.ts'

const said = (text: string): CallToolResult['content'] => [{ type: 'text', text }]

/** What a call was answered with, as a tool says it. */
export function resultOf(operation: Operation, answer: unknown, written: Written, full: boolean): CallToolResult {
  const members = isObject(answer) ? answer : { Answer: answer }
  const { changeId, replayed } = written
  // What HTTP says in headers has no place in what HTTP answers.
  if (full)
    return {
      content: said(JSON.stringify(members)),
      structuredContent: { ...members },
      ...((changeId !== undefined || replayed) && { _meta: { ...(changeId !== undefined && { ChangeID: changeId }), ...(replayed && { Replayed: true }) } }),
    }
  if (members.DryRun === true) {
    const rehearsal = briefRehearsal(members)
    return { content: said(rehearsalInWords(rehearsal)), structuredContent: { ...rehearsal } }
  }
  if (operation.effect === 'read') {
    const brief = briefAnswer(operation, members)
    return { content: said(wordsOf(brief)), structuredContent: { ...brief } }
  }
  const receipt = receiptOf(operation, members, written)
  return { content: said(receipted(operation, receipt)), structuredContent: { ...receipt } }
}

function receipted(operation: Operation, { Replayed, ...receipt }: Members): string {
  const done = Replayed ? `${operation.name} was done before with this IdempotencyKey` : `${operation.name}: done`
  return `${done}. ${Object.entries(receipt)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`)
    .join(', ')}. Detail: "full" shows the whole answer.`
}

/** What to do about a refusal that does not say so itself. */
export const NEXT: { readonly [code in ErrorCode]: string } = {
  invalid_input: 'Correct the arguments and call again.',
  unauthenticated: 'The key no longer works; ask for another.',
  forbidden: 'Ask whoever gave you the key, or do without.',
  not_found: 'Look for the right id with a get_many tool.',
  conflict: 'Read the record again and decide whether the call still makes sense.',
  in_progress: 'Call again in a moment with the same IdempotencyKey.',
  too_large: 'Send less in one call.',
  unsupported: 'Do without: this platform cannot do it.',
  platform_rejected: 'Correct what the platform complains about and call again.',
  rate_limited: 'Wait, then call again.',
  platform_unavailable: 'Wait, then call again with the same arguments.',
  outcome_unknown: 'Look whether it has happened before you call again.',
  internal: 'Tell whoever runs the service; calling again will hardly help.',
}

/** A refusal as a tool says it: what happened, every fault, and what to do. */
export function refusalOf({ code, message, errors, hint, retryAfter }: CrmError, requestId?: string): CallToolResult {
  const wait = retryAfter === undefined ? '' : ` Wait ${Math.ceil(retryAfter)} s.`
  const problem = {
    code,
    detail: message,
    retryable: ERRORS[code].retryable,
    ...(errors && { errors }),
    hint: here(`${hint ?? NEXT[code]}${wait}`),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(requestId !== undefined && { requestId }),
  }
  const lines = [here(`${code}: ${message}`), ...(errors ?? []).slice(0, FAULTS_SAID).map(faultLine), problem.hint]
  return { isError: true, content: said(lines.join('\n')), structuredContent: problem }
}

/** Of so many faults a text tells; the structure has them all. */
const FAULTS_SAID = 20

function faultLine({ field, message, expected, didYouMean }: Fault): string {
  const more = [...(expected === undefined ? [] : [`expected: ${expected}`]), ...(didYouMean === undefined ? [] : [`did you mean ${didYouMean}?`])]
  return here(`- ${field}: ${message}${more.length > 0 ? ` (${more.join('; ')})` : ''}`)
}

/** What is a header or an address over HTTP, as tools have it. */
function here(text: string): string {
  return text
    .replaceAll('Idempotency-Key', 'IdempotencyKey')
    .replaceAll('Confirmation-Token', 'ConfirmationToken')
    .replace(/GET \/v1\/operations\/\w+ shows the input that is expected\./, 'The input schema of the tool shows what is expected.')
}
