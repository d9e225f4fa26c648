import { isObject } from '../../helpers/is-object.ts'
import { MAX_TEXT, type Members, type Truncation, truncate } from './truncate.ts'

/** A dry run with long texts cut. Null stays in a difference, where it means no value before or after. */
export function compactDryRun({ DryRun, WouldWrite, Difference }: Members): Members {
  const answering: Truncation = { longest: MAX_TEXT, empty: 0, cut: 0 }
  const differing: Truncation = { longest: MAX_TEXT, empty: 0, cut: 0, keepsEmpty: true }
  const brief = { DryRun, WouldWrite: truncate(WouldWrite, answering), Difference: truncate(Difference, differing) }
  if (answering.cut + differing.cut === 0) return brief
  return { ...brief, LeftOut: `what is beyond ${MAX_TEXT} characters of a text (Detail: "full" shows all)` }
}

export function renderDryRun({ WouldWrite, Difference }: Members): string {
  const changes = Object.entries(isObject(Difference) ? Difference : {}).map(
    ([field, change]) => `- ${field}: ${JSON.stringify((change as Members).From)} → ${JSON.stringify((change as Members).To)}`,
  )
  const head = ['Dry run: nothing was written. It would answer:', JSON.stringify(WouldWrite)]
  return [...head, ...(changes.length > 0 ? ['It would change:', ...changes] : [])].join('\n')
}
