import type { CallToolResult } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { isObject } from '../../helpers/is-object.ts'
import { compactAnswer, fullAnswer, receiptOf, type WriteOutcome } from './compact-answer.ts'
import { dryRun } from './compact-dry-run.ts'
import { hintOf } from './error-hints.ts'
import { budgetFor, compose, type Fitted, fit, fits, type Presentation, recordsFitting } from './fit.ts'
import { BUDGET } from './option-arguments.ts'
import { pageList, shorten } from './shown-answer.ts'
import { renderJson, renderMembers, renderText, withLeftOut } from './text-rendering.ts'
import { type Extent, type Members, WHOLE } from './truncate.ts'

export interface ToolCall {
  readonly operation: Operation
  /** Whether nothing is to be left out that fits. */
  readonly full: boolean
  /** The tokens that the text and the structure may have each. */
  readonly budget: number
  /** The fields that the caller has asked for by name. */
  readonly selected?: readonly string[]
  /** Whether the page is smaller than was asked for, so that it fits. */
  readonly reduced?: boolean
}

export function toolResult(call: ToolCall, answer: unknown, written: WriteOutcome): CallToolResult {
  const { changeId, replayed } = written
  const fitted = fit(presentationOf(call, answer, written), call.budget)
  // A write is done, whatever its answer is like.
  if (call.operation.effect === 'read' && !fits(fitted, call.budget)) throw tooLarge(call, fitted)
  return {
    ...resultOf(fitted),
    // Detail "full" is the body of HTTP; what HTTP sends as headers goes into _meta.
    ...(call.full &&
      (changeId !== undefined || replayed) && { _meta: { ...(changeId !== undefined && { ChangeID: changeId }), ...(replayed && { Replayed: true }) } }),
  }
}

export const resultOf = ({ text, structure }: Fitted): CallToolResult => ({ content: [{ type: 'text', text }], structuredContent: { ...structure } })

function presentationOf({ operation, full, reduced, selected }: ToolCall, answer: unknown, written: WriteOutcome): Presentation {
  const members = isObject(answer) ? answer : { Answer: answer }
  const isWritten = operation.effect !== 'read' && members.DryRun !== true
  // A write is not to be repeated for the sake of its answer.
  const instead = isWritten && { instead: whereToRead(operation) }
  if (full)
    return {
      show: (extent) => fullAnswer(operation, members, extent, reduced),
      render: renderJson,
      ...instead,
    }
  if (members.DryRun === true) return dryRun(members)
  if (!isWritten)
    return {
      show: (extent) => compactAnswer(operation, members, extent, selected),
      render: renderText,
      inFull: () => compose(fullAnswer(operation, ofLargest(members), WHOLE), renderJson),
    }
  const receipt = receiptOf(operation, members, written)
  return { show: (extent) => shorten(receipt, extent), render: (shown, leftOut) => withLeftOut([renderReceipt(operation, shown)], leftOut), ...instead }
}

/** A page with only the largest of its records. */
function ofLargest(answer: Members): Members {
  const list = pageList(answer)
  if (!list) return answer
  const sized = (answer[list] as readonly unknown[]).map((record) => ({ record, length: JSON.stringify(record).length }))
  const [largest] = sized.sort((one, other) => other.length - one.length)
  return { ...answer, [list]: largest ? [largest.record] : [] }
}

/** How many records of a page fit; undefined where all of them do, or where there is no more than one. */
export function recordsToShow(call: ToolCall, answer: unknown): number | undefined {
  const list = isObject(answer) ? pageList(answer) : undefined
  if (!list) return undefined
  const { show, render } = presentationOf(call, answer, {})
  const page = compose(show(WHOLE), render)
  const { length } = page.structure[list] as readonly unknown[]
  if (length <= 1 || fits(page, call.budget)) return undefined
  return Math.max(1, Math.min(length - 1, recordsFitting(page, list, call.budget)))
}

function tooLarge({ operation, budget }: ToolCall, fitted: Fitted): CrmError {
  const needed = budgetFor(fitted)
  return new CrmError('too_large', `${operation.name} has an answer that does not fit into Budget: ${budget}.`, {
    hint: `${needed > budget ? `Give Budget: ${needed} or more` : 'Narrow the question'}, Select fewer fields, or order by a shorter field.`,
  })
}

function renderReceipt(operation: Operation, { Replayed, ...receipt }: Members): string {
  const { UpdatedFields, Created } = receipt
  const isSame = Array.isArray(UpdatedFields) && UpdatedFields.length === 0 && !Created
  const done = Replayed
    ? `${operation.name} was done before with this IdempotencyKey`
    : `${operation.name}: ${isSame ? 'nothing was changed, since the record has these values already' : 'done'}`
  const where = whereToRead(operation)
  return `${done}. ${renderMembers(receipt)}.${where && ` ${where}.`}`
}

/** Names the tool that reads the record, so that an agent does not repeat the write to see it. */
function whereToRead({ record, effect }: Operation): string {
  const get = effect === 'delete' ? undefined : OPERATIONS.find((one) => one.verb === 'get' && one.record === record)
  return get ? `${get.id} shows the whole record` : ''
}

/** The steps in which an error is shortened: what helps to correct the call is kept longest. */
const ERROR_STEPS: readonly Extent[] = [
  ...[2000, 1000, 500].map((text) => ({ ...WHOLE, text })),
  ...[50, 20, 10, 5, 3, 2, 1].map((items) => ({ ...WHOLE, text: 300, items })),
  ...[200, 150, 100, 60, 30].map((text) => ({ ...WHOLE, text, items: 1 })),
]
/** At these steps an error has only its code, what was wrong and what to do. */
const BRIEF_ITEMS = 50

/** An error as a result: what happened, every fault, and what to do. */
export function errorResult(error: CrmError, requestId?: string, budget: number = BUDGET.default): CallToolResult {
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
  const brief = {
    code,
    ...(errors
      ? { errors: errors.map(({ field, message: fault, didYouMean }) => ({ field, message: fault, ...(didYouMean && { didYouMean }) })) }
      : { detail: message }),
    hint: problem.hint,
    ...(retryAfter !== undefined && { retryAfter }),
  }
  const show = (extent: Extent) => shorten(extent.items <= BRIEF_ITEMS ? brief : problem, extent)
  return { isError: true, ...resultOf(fit({ show, render: renderText, steps: ERROR_STEPS }, budget)) }
}
