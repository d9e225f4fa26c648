import type { CallToolResult } from '@modelcontextprotocol/server'
import type { CrmError, Fault } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { isObject } from '../../helpers/is-object.ts'
import { compactAnswer, receiptOf, type WriteOutcome } from './compact-answer.ts'
import { compactDryRun, renderDryRun } from './compact-dry-run.ts'
import { hintOf } from './error-hints.ts'
import { renderText } from './text-rendering.ts'
import type { Members } from './truncate.ts'

const textContent = (text: string): CallToolResult['content'] => [{ type: 'text', text }]

export interface ToolCall {
  readonly operation: Operation
  readonly input: Members
  /** Whether nothing is to be left out. */
  readonly full: boolean
}

export function toolResult({ operation, input, full }: ToolCall, answer: unknown, written: WriteOutcome): CallToolResult {
  const members = isObject(answer) ? answer : { Answer: answer }
  const { changeId, replayed } = written
  // Detail "full" is the body of HTTP; what HTTP sends as headers goes into _meta.
  if (full)
    return {
      content: textContent(JSON.stringify(members)),
      structuredContent: { ...members },
      ...((changeId !== undefined || replayed) && { _meta: { ...(changeId !== undefined && { ChangeID: changeId }), ...(replayed && { Replayed: true }) } }),
    }
  if (members.DryRun === true) {
    const dryRun = compactDryRun(members)
    return { content: textContent(renderDryRun(dryRun)), structuredContent: { ...dryRun } }
  }
  if (operation.effect === 'read') {
    const compact = compactAnswer(operation, members)
    return { content: textContent(renderText(compact, requestedBy(input))), structuredContent: { ...compact } }
  }
  const receipt = receiptOf(operation, members, written)
  return { content: textContent(renderReceipt(operation, receipt)), structuredContent: { ...receipt } }
}

/** The members of records that a call has asked for by name. */
function requestedBy({ Select, Include }: Members): readonly string[] {
  return [Select, Include].flat().filter((name) => typeof name === 'string')
}

function renderReceipt(operation: Operation, { Replayed, ...receipt }: Members): string {
  const done = Replayed ? `${operation.name} was done before with this IdempotencyKey` : `${operation.name}: done`
  return `${done}. ${Object.entries(receipt)
    .map(([name, value]) => `${name}: ${Array.isArray(value) ? value.join(', ') : value}`)
    .join(', ')}.${whereToRead(operation)}`
}

/** Names the tool that reads the record, so that an agent does not repeat the write to see it. */
function whereToRead({ record, effect }: Operation): string {
  const get = effect === 'delete' ? undefined : OPERATIONS.find((one) => one.verb === 'get' && one.record === record)
  return get ? ` ${get.id} shows the whole record.` : ''
}

/** An error as a result: what happened, every fault, and what to do. */
export function errorResult(error: CrmError, requestId?: string): CallToolResult {
  const { code, message, errors, retryable, retryAfter } = error
  const wait = retryAfter === undefined ? '' : ` Wait ${Math.ceil(retryAfter)} s.`
  const problem = {
    code,
    detail: message,
    retryable,
    ...(errors && { errors }),
    hint: `${hintOf(error)}${wait}`,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(requestId !== undefined && { requestId }),
  }
  const lines = [`${code}: ${message}`, ...(errors ?? []).slice(0, FAULTS_IN_TEXT).map(faultLine), problem.hint]
  return { isError: true, content: textContent(lines.join('\n')), structuredContent: problem }
}

/** The text lists only so many faults; the structured content has all. */
const FAULTS_IN_TEXT = 20

function faultLine({ field, message, expected, didYouMean }: Fault): string {
  const more = [...(expected === undefined ? [] : [`expected: ${expected}`]), ...(didYouMean === undefined ? [] : [`did you mean ${didYouMean}?`])]
  return `- ${field}: ${message}${more.length > 0 ? ` (${more.join('; ')})` : ''}`
}
