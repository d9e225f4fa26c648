import type { CallToolResult } from '@modelcontextprotocol/server'
import { type CrmError, ERRORS, type Fault } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { isObject } from '../../helpers/is-object.ts'
import { compactAnswer, receiptOf, type WriteOutcome } from './compact-answer.ts'
import { compactDryRun, renderDryRun } from './compact-dry-run.ts'
import { hintOf } from './error-hints.ts'
import { renderText } from './text-rendering.ts'
import type { Members } from './truncate.ts'

const said = (text: string): CallToolResult['content'] => [{ type: 'text', text }]

/** What a call was answered with, as a tool says it. */
export function toolResult(operation: Operation, answer: unknown, written: WriteOutcome, full: boolean): CallToolResult {
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
    const rehearsal = compactDryRun(members)
    return { content: said(renderDryRun(rehearsal)), structuredContent: { ...rehearsal } }
  }
  if (operation.effect === 'read') {
    const brief = compactAnswer(operation, members)
    return { content: said(renderText(brief)), structuredContent: { ...brief } }
  }
  const receipt = receiptOf(operation, members, written)
  return { content: said(receipted(operation, receipt)), structuredContent: { ...receipt } }
}

function receipted(operation: Operation, { Replayed, ...receipt }: Members): string {
  const done = Replayed ? `${operation.name} was done before with this IdempotencyKey` : `${operation.name}: done`
  return `${done}. ${Object.entries(receipt)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`)
    .join(', ')}.${whereToRead(operation)}`
}

/** A write is never to be repeated in order to see what it has written. */
function whereToRead({ record, effect }: Operation): string {
  const get = effect === 'delete' ? undefined : OPERATIONS.find((one) => one.verb === 'get' && one.record === record)
  return get ? ` ${get.id} shows the whole record.` : ''
}

/** A refusal as a tool says it: what happened, every fault, and what to do. */
export function errorResult(error: CrmError, requestId?: string): CallToolResult {
  const { code, message, errors, retryAfter } = error
  const wait = retryAfter === undefined ? '' : ` Wait ${Math.ceil(retryAfter)} s.`
  const problem = {
    code,
    detail: message,
    retryable: ERRORS[code].retryable,
    ...(errors && { errors }),
    hint: `${hintOf(error)}${wait}`,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(requestId !== undefined && { requestId }),
  }
  const lines = [`${code}: ${message}`, ...(errors ?? []).slice(0, FAULTS_SAID).map(faultLine), problem.hint]
  return { isError: true, content: said(lines.join('\n')), structuredContent: problem }
}

/** Of so many faults a text tells; the structure has them all. */
const FAULTS_SAID = 20

function faultLine({ field, message, expected, didYouMean }: Fault): string {
  const more = [...(expected === undefined ? [] : [`expected: ${expected}`]), ...(didYouMean === undefined ? [] : [`did you mean ${didYouMean}?`])]
  return `- ${field}: ${message}${more.length > 0 ? ` (${more.join('; ')})` : ''}`
}
