import { quotedName } from '../../contract/visible-text.ts'
import { isObject } from '../../helpers/is-object.ts'
import { fit, type Presentation } from './fit.ts'
import { BUDGET } from './option-arguments.ts'
import { type Shown, shorten } from './shown-answer.ts'
import { renderValue, withLeftOut } from './text-rendering.ts'
import { type Extent, MAX_TEXT, type Members, withoutEmpty } from './truncate.ts'

/** A dry run with long texts cut, as much of it as fits. */
export function compactDryRun(answer: Members): Members {
  return fit(dryRun(answer), BUDGET.default).structure
}

/** Null stays in a difference, where it means no value before or after. */
export function dryRun({ DryRun, WouldWrite, Difference }: Members): Presentation {
  const answer = { DryRun, WouldWrite: withoutEmpty(WouldWrite), Difference }
  return { show: (extent) => show(answer, extent), render: renderDryRun }
}

function show(answer: Members, extent: Extent): Shown {
  if (extent.text <= MAX_TEXT) return shorten(answer, extent)
  const { members, cut = [] } = shorten(answer, { ...extent, text: MAX_TEXT })
  return { members, brief: cut }
}

function renderDryRun({ WouldWrite, Difference }: Members, leftOut?: string): string {
  const changes = Object.entries(isObject(Difference) ? Difference : {}).map(
    ([field, change]) => `- ${quotedName(field)}: ${renderValue((change as Members).From)} → ${renderValue((change as Members).To)}`,
  )
  const head = ['Dry run: nothing was written. It would answer:', renderValue(WouldWrite)]
  return withLeftOut([...head, ...(changes.length > 0 ? ['It would change:', ...changes] : [])], leftOut)
}
