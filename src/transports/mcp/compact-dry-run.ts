import { isObject } from '../../helpers/is-object.ts'
import { MAX_TEXT, type Members, type Truncation, truncate } from './truncate.ts'

/** What a write would do, with long texts cut. Null in a difference says that there is nothing before or after, and stays. */
export function compactDryRun({ DryRun, WouldWrite, Difference }: Members): Members {
  const answering: Truncation = { longest: MAX_TEXT, empty: 0, cut: 0 }
  const differing: Truncation = { longest: MAX_TEXT, empty: 0, cut: 0, keepsEmpty: true }
  const brief = { DryRun, WouldWrite: truncate(WouldWrite, answering), Difference: truncate(Difference, differing) }
  if (answering.cut + differing.cut === 0) return brief
  return { ...brief, LeftOut: `what is beyond ${MAX_TEXT} characters of a text (Detail: "full" shows all)` }
}

/** The same as a short text. */
export function renderDryRun({ WouldWrite, Difference }: Members): string {
  const changes = Object.entries(isObject(Difference) ? Difference : {}).map(
    ([field, change]) => `- ${field}: ${JSON.stringify((change as Members).From)} → ${JSON.stringify((change as Members).To)}`,
  )
  const said = ['Dry run: nothing was written. It would answer:', JSON.stringify(WouldWrite)]
  return [...said, ...(changes.length > 0 ? ['It would change:', ...changes] : [])].join('\n')
}
