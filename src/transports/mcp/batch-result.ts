import type { Batch, BatchAnswer } from '../../contract/batch.ts'
import type { Operation } from '../../contract/operation.ts'
import { operationNamed } from '../../contract/operations.ts'
import { getManyChanges } from '../../contract/records/change.ts'
import { isObject } from '../../helpers/is-object.ts'
import { selectedIn } from './call-tool.ts'
import { compactAnswer, receiptOf } from './compact-answer.ts'
import { compactDryRun } from './compact-dry-run.ts'
import type { Presentation } from './fit.ts'
import { type Shown, shorten } from './shown-answer.ts'
import { renderJson, renderText } from './text-rendering.ts'
import { type Extent, type Members, WHOLE } from './truncate.ts'

type Calls = Batch['Operations']

export const toolOf = (tools: readonly Operation[], name: string) => tools.find(({ id }) => id === operationNamed(name)?.id)

/** How many results of a batch are shown in brief. */
const SHOWN = 50

const FEWER = 'fewer calls in a batch show more'
/** Writes are not to be repeated for the sake of their answers. */
const WRITTEN = `${getManyChanges.id} shows what was done`

/** What became of a call: refused, written, or only read or tried. */
type Outcome = 'refused' | 'written' | 'read'

/** How many calls were done and refused, the refusals, and a receipt for each of the others as far as there is room. Of what is left out, refusals are the last. */
export function briefBatch(calls: Calls, tools: readonly Operation[], answer: BatchAnswer): Presentation {
  const outcomes = outcomesOf(calls, tools, answer)
  const all = answer.Results.map((result, i) => briefResult(calls, tools, result, i))
  const refused = all.filter((_, i) => outcomes[i] === 'refused')
  const inTurn = [...refused, ...all.filter((_, i) => outcomes[i] !== 'refused')]
  const written = outcomes.filter((one) => one === 'written').length
  const head = {
    ...(all.some(({ DryRun }) => DryRun === true) ? { DryRun: true, WouldBeDone: all.length - refused.length } : { Done: all.length - refused.length }),
    ...(refused.length > 0 && { NotDone: refused.length }),
  }
  const show = (extent: Extent) => {
    const results = inTurn.slice(0, Math.min(SHOWN, extent.items))
    const left = inTurn.slice(results.length).map(({ Call }) => outcomes[Call as number] as Outcome)
    const follows = notesOn(left)
    return { ...batchShown(head, answer, results, extent), ...(follows !== '' && { follows }) }
  }
  return { show, render: renderText, instead: written > 0 ? WRITTEN : FEWER }
}

/** The whole answer, as over HTTP, as far as it fits: results in the order of the calls. */
export function fullBatch(calls: Calls, tools: readonly Operation[], answer: BatchAnswer): Presentation {
  const outcomes = outcomesOf(calls, tools, answer)
  const show = (extent: Extent) => {
    const results = answer.Results.slice(0, extent.items)
    const follows = notesOn(outcomes.slice(results.length))
    return { ...batchShown({}, answer, results, extent), ...(follows !== '' && { follows }) }
  }
  return { show, render: renderJson, instead: outcomes.includes('written') ? WRITTEN : FEWER }
}

/** The BatchID is never cut: it is what undoes the batch. */
function batchShown(head: Members, { BatchID }: BatchAnswer, results: readonly Members[], extent: Extent): Shown {
  const { members, cut = [] } = shorten({ Results: results }, extent)
  const shown = withoutLostCursors(results, (members.Results ?? []) as readonly Members[])
  return { members: { ...head, ...(BatchID !== undefined && { BatchID }), Results: shown }, cut }
}

/** What is left out, and how to see it. */
function notesOn(left: readonly Outcome[]): string {
  const counted = (outcome: Outcome, one: string) => {
    const count = left.filter((some) => some === outcome).length
    return count === 0 ? [] : [`${count} ${count === 1 ? one : `${one}s`}`]
  }
  const [written, others] = [counted('written', 'result'), [...counted('refused', 'refusal'), ...counted('read', 'result')]]
  return [...written.map((one) => `${one} (${WRITTEN})`), ...(others.length > 0 ? [`${others.join(', ')} (${FEWER})`] : [])].join('; ')
}

function outcomesOf(calls: Calls, tools: readonly Operation[], { Results }: BatchAnswer): readonly Outcome[] {
  return Results.map(({ Result, Error: problem }, i) => {
    if (problem) return 'refused'
    const isDryRun = isObject(Result) && Result.DryRun === true
    return isDryRun || toolOf(tools, calls[i]?.Operation ?? '')?.effect === 'read' ? 'read' : 'written'
  })
}

function briefResult(calls: Calls, tools: readonly Operation[], result: BatchAnswer['Results'][number], i: number): Members {
  const { Status, Result, Error: problem, ChangeID, Replayed } = result
  if (problem) return { Call: i, Status, Code: problem.code, Refused: problem.errors?.map(({ message }) => message).join(' ') ?? problem.detail }
  const operation = toolOf(tools, calls[i]?.Operation ?? '') as Operation
  const answer = Object(Result) as Members
  if (answer.DryRun === true) return { Call: i, ...compactDryRun(answer) }
  if (operation.effect === 'read') return { Call: i, ...compactAnswer(operation, answer, WHOLE, selectedIn(Object(calls[i]?.Input))).members }
  return { Call: i, ...receiptOf(operation, answer, { changeId: ChangeID, replayed: Replayed }) }
}

/** Results without the cursors of lists that were cut: they go on after what is left out. */
function withoutLostCursors(whole: readonly Members[], shown: readonly Members[]): readonly Members[] {
  const lengthOf = (result: Members | undefined) => (Array.isArray(result?.Records) ? result.Records.length : 0)
  return shown.map((result, i) => {
    const { NextCursor, ...rest } = result
    return NextCursor !== undefined && lengthOf(result) < lengthOf(whole[i]) ? rest : result
  })
}
