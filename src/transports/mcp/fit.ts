import { quoted } from '../../contract/visible-text.ts'
import { BUDGET } from './option-arguments.ts'
import type { Shown } from './shown-answer.ts'
import { renderMembers } from './text-rendering.ts'
import { tokensOf } from './tokens.ts'
import { type Extent, type Members, WHOLE } from './truncate.ts'

/** How an answer is shown: as members, as much of them as the extent allows, and as text. */
export interface Presentation {
  show(extent: Extent): Shown
  render(members: Members, leftOut?: string): string
  /** How to see what did not fit, where that is not a call with a larger budget. */
  readonly instead?: string
  /** The whole answer, where it is shown in brief: its largest record of a page, which then ends earlier. */
  inFull?(): Fitted
  /** The extents that are tried, each of which shows less than the one before. */
  readonly steps?: readonly Extent[]
}

/** A client shows its model the text or the structure, so that each of them has to fit. */
export interface Fitted {
  readonly text: string
  readonly structure: Members
}

/** Shows as much of an answer as fits into a budget of tokens: long texts are cut first, then lists, then short texts and fields. */
export function fit({ show, render, instead, inFull, steps = STEPS }: Presentation, budget: number): Fitted {
  const all = show(WHOLE)
  const inDetail = instead ?? (all.brief?.length ? detailFor(inFull?.(), budget) : undefined)
  const whole = compose(all, render, inDetail)
  if (fits(whole, budget)) return whole
  const remedy = instead ?? `Budget: ${budgetFor(whole)} shows ${all.brief?.length || !fits(whole, BUDGET.max) ? 'more' : 'all'}`
  // The first step that fits, by bisection: each shows less than the one before.
  let [low, high] = [0, steps.length - 1]
  const at = (step: number) => {
    const extent = steps[step] as Extent
    const shown = show(extent)
    return compose(extent.members < WHOLE.members ? inShort(shown) : shown, render, inDetail, remedy)
  }
  while (low < high) {
    const middle = (low + high) >> 1
    if (fits(at(middle), budget)) high = middle
    else low = middle + 1
  }
  return at(low)
}

/** Says in fewer words what is left out where fields are cut: those without a value are among them, and what a cursor is for is said by its name. */
const inShort = ({ follows, brief: _, ...shown }: Shown): Shown => ({ ...shown, ...(follows !== undefined && { follows: follows.split(' (', 1).join() }) })

/** How many items or members are shown, close enough to each other that little of the budget is left unused. */
const COUNTS = [500, 300, 200, 150, 120, 100, 85, 70, 60, 50, 42, 35, 30, 25, 22, 19, 17, 15, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]

const STEPS: readonly Extent[] = [
  ...[24_000, 16_000, 12_000, 8000, 6000, 4000, 3000, 2000, 1500, 1200, 900, 700, 500, 350, 250, 200].map((text) => ({ ...WHOLE, text })),
  ...COUNTS.map((items) => ({ ...WHOLE, text: 200, items })),
  ...[100, 50, 20].map((text) => ({ ...WHOLE, text, items: 1 })),
  ...COUNTS.map((members) => ({ text: 20, items: 1, members })),
]

export function fits(fitted: Fitted, budget: number): boolean {
  return tokensIn(fitted, budget) <= budget
}

/** A budget that something fits into, in hundreds; the largest where it fits into none. */
export const budgetFor = (fitted: Fitted): number => Math.min(BUDGET.max, Math.ceil(tokensIn(fitted, BUDGET.max) / 100) * 100)

/** The larger of both, counted no further than `most`. */
function tokensIn({ text, structure }: Fitted, most: number): number {
  return Math.max(tokensOf(text, most), tokensOf(JSON.stringify(structure), most))
}

/** How to see what a brief answer leaves out: all of it may need a larger budget, too. */
function detailFor(full: Fitted | undefined, budget: number): string | undefined {
  if (!full || fits(full, budget)) return undefined
  return `Detail: "full" with Budget: ${budgetFor(full)} shows ${fits(full, BUDGET.max) ? 'all' : 'more'}`
}

export function compose(
  { members, follows, brief = [], cut = [] }: Shown,
  render: Presentation['render'],
  instead = 'Detail: "full" shows all',
  remedy = '',
): Fitted {
  const left = [
    ...(follows === undefined ? [] : [follows]),
    ...(brief.length > 0 ? [`${brief.join(', ')} (${instead})`] : []),
    ...(cut.length > 0 ? [`${cut.join(', ')}${remedy && ` (${remedy})`}`] : []),
  ]
  if (left.length === 0) return { text: render(members), structure: members }
  const LeftOut = left.join('; ')
  return { text: render(members, LeftOut), structure: { ...members, LeftOut } }
}

/** How many records of a page fit beside what else is in it. */
export function recordsFitting({ structure }: Fitted, list: string, budget: number): number {
  const records = structure[list] as readonly Members[]
  const costOf = (members: Members) => Math.max(tokensOf(quoted(members), budget), tokensOf(renderMembers(members), budget))
  let left = budget - costOf({ ...structure, [list]: [] })
  const count = records.findIndex((record) => {
    left -= costOf(record) + SEPARATOR
    return left < 0
  })
  return count < 0 ? records.length : count
}

/** The tokens between two records. */
const SEPARATOR = 3
