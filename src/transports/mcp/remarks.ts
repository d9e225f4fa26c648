import type { CallToolResult } from '@modelcontextprotocol/server'
import { type Operation, overwrites } from '../../contract/operation.ts'
import { quotedName } from '../../contract/visible-text.ts'
import { nearFilters } from '../../core/remarks/near-values.ts'
import { type ExecutedWrite, remarksOn } from '../../core/remarks/remarks.ts'
import type { Session } from './backend.ts'
import { tokensOf } from './tokens.ts'
import { remarkOnOwner } from './user-names.ts'

/** Remarks on a call that was executed. An agent that is told of a slip can correct it; a remark that fails is left out. */
export async function remarksOnCall({ backend }: Session, call: Omit<ExecutedWrite, 'keyName' | 'seen'>): Promise<string[]> {
  const { operation, input, answer } = call
  const remarks =
    operation.effect === 'read'
      ? [remarkOnOwner(backend, input, answer), nearFilters(operation, input, answer, backend.reading)]
      : [remarksOn({ ...call, keyName: 'IdempotencyKey', seen: backend.seen }, backend.reading), remarksOnCut(operation, input)]
  return (await Promise.all(remarks.map((some) => some.catch(() => [])))).flat()
}

const MARK = /… \(\d+ more characters\)$/

/** The places of an input whose texts end as one that an answer has cut. */
function cutIn(value: unknown, at: readonly string[] = []): string[] {
  if (typeof value === 'string') return MARK.test(value) ? [at.map(quotedName).join('.')] : []
  return Object.entries(Object(value)).flatMap(([name, one]) => cutIn(one, [...at, name]))
}

/** Remarks on texts that are written over those that they are the beginnings of. */
const remarksOnCut = async (operation: Operation, input: unknown) =>
  (overwrites(operation) ? cutIn(input) : []).map(
    (at) => `${at} ends in the mark of a text that an answer has cut. Where it was read from one, read all of it with Detail: "full", and write that.`,
  )

/** Of a budget, so much is for remarks: which change it was is told before what is odd about it. */
const SHARE = 0.25
/** The share of a remark that is shortened; the answer of a write needs less than the rest. */
const SHARE_OF_SHORTENED = 0.4

const leftOut = (count: number, after: boolean) => `${count} ${after ? 'more ' : ''}${count === 1 ? 'remark is' : 'remarks are'} left out.`

/** The lengths that a remark is shortened to. */
const LENGTHS = [600, 400, 300, 200, 150, 100, 75, 50]

/** The beginning of a remark. A value that it ends in is closed, so that what follows cannot be taken for a part of it; no escape is cut in two. */
function shortened(remark: string, length: number): string {
  let [kept, isOpen] = ['', false]
  for (const [part] of remark.matchAll(/\\u[\da-f]{4}|\\.|./gsu)) {
    if (kept.length + part.length > length) break
    kept += part
    if (part === '"') isOpen = !isOpen
  }
  return isOpen ? `${kept}…" …` : `${kept}…`
}

/** The remarks that fit into their part of a budget, the first of them shortened where it does not fit, and the tokens that are left for the answer. */
export function remarksWithin(budget: number, remarks: readonly string[]): { readonly fitting: readonly string[]; readonly left: number } {
  const cost = (some: readonly string[]) => (some.length === 0 ? 0 : tokensOf(JSON.stringify({ Remarks: some }), budget))
  let fitting = remarks
  for (let count = remarks.length; cost(fitting) > budget * SHARE && count > 0; )
    fitting = [...remarks.slice(0, --count), leftOut(remarks.length - count, count > 0)]
  const [first = '', ...others] = remarks
  if (remarks.length > 0 && fitting[0] !== first) {
    const more = others.length > 0 ? [leftOut(others.length, true)] : []
    const candidates = LENGTHS.filter((length) => length < first.length).map((length) => [shortened(first, length), ...more])
    fitting = candidates.find((some) => cost(some) <= budget * SHARE_OF_SHORTENED) ?? fitting
  }
  return { fitting, left: budget - cost(fitting) }
}

/**
 * A result with remarks: a member of the structured content, of `_meta` where that is what HTTP answers with, and a text of their own, so that no value
 * of a record can pose as one.
 */
export function withRemarks({ content, structuredContent, _meta, ...result }: CallToolResult, Remarks: readonly string[], full: boolean): CallToolResult {
  const members = Remarks.length > 0 ? { Remarks } : {}
  return {
    ...result,
    content: Remarks.length > 0 ? [...content, { type: 'text', text: Remarks.map((remark) => `Remark: ${remark}`).join('\n') }] : content,
    structuredContent: { ...Object(structuredContent), ...(!full && members) },
    ...((_meta || (full && Remarks.length > 0)) && { _meta: { ..._meta, ...(full && members) } }),
  }
}
