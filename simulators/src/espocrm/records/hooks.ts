import type { Scope } from '../scopes/definition.ts'
import type { Values } from '../store.ts'

/** Derived values on save, by scope. */
export const BEFORE_SAVE: { readonly [scope: string]: (scope: Scope, values: Values, before: Values | undefined, at: string) => void } = {
  Lead(_, values, before, at) {
    if (values.status === 'Converted' && before?.status !== 'Converted') values.convertedAt ??= at
  },

  Opportunity({ fields }, values, before) {
    const { stage } = values
    if (stage === before?.stage || typeof stage !== 'string') return
    const map = fields.stage?.probabilityMap ?? {}
    const probability = map[stage]
    if (values.probability == null || (before && values.probability === before.probability)) values.probability = probability ?? 0
    if (values.lastStage !== before?.lastStage) return
    const last = lastStage(stage, before?.lastStage, map)
    if (last !== undefined) values.lastStage = last
  },
}

/** The last stage of an opportunity; of a lost one, the stage before. */
function lastStage(stage: string, before: unknown, map: { readonly [stage: string]: number }): string | undefined {
  if (map[stage] !== 0) return stage
  const open = Object.entries(map).filter(([, probability]) => probability > 0 && probability < 100)
  const sorted = open.sort(([, a], [, b]) => a - b).map(([name]) => name)
  if (before === undefined) return sorted[0]
  return typeof before === 'string' && map[before] === 100 ? sorted.at(-1) : undefined
}
