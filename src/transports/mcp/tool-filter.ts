import { CrmError, type Fault } from '../../contract/errors.ts'
import { fold, nearest } from '../../contract/names.ts'
import type { Operation } from '../../contract/operation.ts'
import { quote, RECORD_TYPES } from '../../contract/operations.ts'
import { CONFIRMABLE } from '../../contract/records/plan.ts'
import { mayCall } from '../../contract/scopes.ts'
import type { Caller } from '../../core/service.ts'
import { TOOLS } from './tools.ts'

export type Access = Pick<Caller, 'role' | 'scopes'>

/** Limits the tools that are offered, below what the key allows. */
export interface ToolFilter {
  /** All toolsets unless given. */
  readonly toolsets?: readonly string[]
  readonly readOnly?: boolean
  /** Whether deletes have to be confirmed, whatever the key says. */
  readonly confirm?: boolean
}

/** Toolsets are named after the record types; changes and events form the toolset `journal`. */
const toolsetOf = (plural: string) => (plural === 'changes' ? 'journal' : fold(plural.replace(/(?=[A-Z])/g, '_')))

/** The toolsets of a tool: of its record type, of the types whose id it requires, and of its parents. Empty where it is always included. */
function toolsetsOf({ record, verb, input }: Operation): readonly string[] {
  if (verb === 'describe' || verb === 'search' || verb === 'getCurrentUser') return []
  const { required = [] } = input as unknown as { required?: readonly string[] }
  const types = RECORD_TYPES.filter(({ name, id }) => name === record.name || required.includes(id) || record.childOf?.types.includes(name))
  return types.filter(({ childOf }) => !childOf).map(({ plural }) => toolsetOf(plural))
}

const byName: ReadonlyMap<string, { readonly tool: Operation; readonly toolsets: readonly string[] }> = new Map(
  TOOLS.map((tool) => [tool.id, { tool, toolsets: toolsetsOf(tool) }]),
)

export const TOOLSETS: readonly string[] = [...new Set([...byName.values()].flatMap(({ toolsets }) => toolsets))]

/** Whether the filter includes a tool, whatever the caller's access. */
export function isIncluded(name: string, { toolsets, readOnly }: ToolFilter): boolean {
  const { tool, toolsets: its = [] } = byName.get(name) ?? {}
  if (!tool || (readOnly && tool.effect !== 'read')) return false
  return !toolsets || its.length === 0 || its.some((one) => toolsets.includes(one))
}

export function offeredTools(access: Access, filter: ToolFilter, tools: readonly Operation[] = TOOLS): readonly Operation[] {
  return tools.filter((operation) => isIncluded(operation.id, filter) && mayCall(access, operation))
}

/** The options of a filter, as flags or query parameters. */
export const FILTER_OPTIONS = ['toolsets', 'read-only', 'confirm'] as const

export type FilterInput = { readonly [name in (typeof FILTER_OPTIONS)[number]]?: string | undefined }

/** Reads the options of a filter, and reports all unknown values at once. `named` gives the name of an option in messages. */
export function readToolFilter(given: FilterInput, named: (name: string) => string = (name) => name): ToolFilter {
  const faults: Fault[] = []
  const check = (name: string, text: string, known: readonly string[]) => {
    if (known.includes(text)) return
    const [near] = nearest(text, known)
    const message = `${named(name)} does not know ${quote(text)}.`
    faults.push({ field: named(name), code: 'value', message, expected: known.join(', '), ...(near && { didYouMean: near }) })
  }
  const { toolsets: sets, 'read-only': readOnly, confirm } = given
  const toolsets = sets?.split(',').map(fold)
  for (const one of toolsets ?? []) check('toolsets', one, TOOLSETS)
  if (readOnly !== undefined) check('read-only', readOnly, ['true', 'false'])
  if (confirm !== undefined) check('confirm', confirm, CONFIRMABLE)
  const [first] = faults
  if (first) throw new CrmError('invalid_input', first.message, { errors: faults })
  return { ...(toolsets && { toolsets }), readOnly: readOnly === 'true', confirm: confirm !== undefined }
}
