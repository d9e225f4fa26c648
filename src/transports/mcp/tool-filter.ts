import { CrmError, type Fault } from '../../contract/errors.ts'
import { fold, nearest } from '../../contract/names.ts'
import { quote, RECORD_TYPES } from '../../contract/operations.ts'
import { CONFIRMABLE } from '../../contract/records/plan.ts'
import { mayCall } from '../../contract/scopes.ts'
import type { Caller } from '../../core/service.ts'
import { TOOLS, type Tool } from './tools.ts'

/** What a caller may do, as far as it decides which tools there are. */
export type Access = Pick<Caller, 'role' | 'scopes'>

/** What is offeredTools of all that the key allows. */
export interface ToolFilter {
  /** The toolsets that are wanted; all of them unless given. */
  readonly toolsets?: readonly string[]
  readonly readOnly?: boolean
  /** Whether deletes have to be confirmed, whatever the key says. */
  readonly confirm?: boolean
}

/** Toolsets are called like the record types; the audit and the events are the journal. */
const toolsetOf = (plural: string) => (plural === 'changes' ? 'journal' : fold(plural.replace(/(?=[A-Z])/g, '_')))

/** The toolsets a tool is in: that of its record type, of those it needs an id of, and of those it hangs on. None where it is always wanted. */
function toolsetsOf({ operation: { record, verb, input } }: Tool): readonly string[] {
  if (verb === 'describe' || verb === 'getCurrentUser') return []
  const { required = [] } = input as unknown as { required?: readonly string[] }
  const types = RECORD_TYPES.filter(({ name, id }) => name === record.name || required.includes(id) || record.hangsOn?.types.includes(name))
  return types.filter(({ hangsOn }) => !hangsOn).map(({ plural }) => toolsetOf(plural))
}

const byName: ReadonlyMap<string, { readonly tool: Tool; readonly toolsets: readonly string[] }> = new Map(
  TOOLS.map((tool) => [tool.listed.name, { tool, toolsets: toolsetsOf(tool) }]),
)

export const TOOLSETS: readonly string[] = [...new Set([...byName.values()].flatMap(({ toolsets }) => toolsets))]

/** Whether the tool of this name is there, whoever calls. */
export function isIncluded(name: string, { toolsets, readOnly }: ToolFilter): boolean {
  const { tool, toolsets: its = [] } = byName.get(name) ?? {}
  if (!tool || (readOnly && tool.operation.effect !== 'read')) return false
  return !toolsets || its.length === 0 || its.some((one) => toolsets.includes(one))
}

/** The tools that a caller is offeredTools, of all that there are. */
export function offeredTools(access: Access, filter: ToolFilter, tools: readonly Tool[] = TOOLS): readonly Tool[] {
  return tools.filter(({ operation, listed }) => isIncluded(listed.name, filter) && mayCall(access, operation))
}

/** What can be said to narrow, by flag or in the address. */
export const FILTER_OPTIONS = ['toolsets', 'read-only', 'confirm'] as const

export type FilterInput = { readonly [name in (typeof FILTER_OPTIONS)[number]]?: string | undefined }

/** Reads what was said, and refuses every word that is not known, at once. `named` says how what narrows is called where it was said. */
export function readToolFilter(said: FilterInput, named: (name: string) => string = (name) => name): ToolFilter {
  const faults: Fault[] = []
  const word = (name: string, text: string, known: readonly string[]) => {
    if (known.includes(text)) return
    const [near] = nearest(text, known)
    const message = `${named(name)} does not know ${quote(text)}.`
    faults.push({ field: named(name), code: 'value', message, expected: known.join(', '), ...(near && { didYouMean: near }) })
  }
  const { toolsets: sets, 'read-only': readOnly, confirm } = said
  const toolsets = sets?.split(',').map(fold)
  for (const one of toolsets ?? []) word('toolsets', one, TOOLSETS)
  if (readOnly !== undefined) word('read-only', readOnly, ['true', 'false'])
  if (confirm !== undefined) word('confirm', confirm, CONFIRMABLE)
  const [first] = faults
  if (first) throw new CrmError('invalid_input', first.message, { errors: faults })
  return { ...(toolsets && { toolsets }), readOnly: readOnly === 'true', confirm: confirm !== undefined }
}
