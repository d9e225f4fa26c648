import { CrmError, type Fault } from '../../contract/errors.ts'
import { fold, nearest } from '../../contract/names.ts'
import type { Operation, Verb } from '../../contract/operation.ts'
import { quote, RECORD_TYPES } from '../../contract/operations.ts'
import { Campaign } from '../../contract/records/campaign.ts'
import { CONFIRMABLE_IN_CALL, type ConfirmInCall } from '../../contract/records/plan.ts'
import { User } from '../../contract/records/user.ts'
import { isForAdmins, mayCall } from '../../contract/scopes.ts'
import type { Caller } from '../../core/service.ts'
import { ADMINISTRATION, TOOLS } from './tools.ts'

export type Access = Pick<Caller, 'role' | 'scopes'>

/** Limits the tools that are offered, below what the key allows. */
export interface ToolFilter {
  /** All toolsets but administration unless given. */
  readonly toolsets?: readonly string[]
  readonly readOnly?: boolean
  /** What has to be confirmed, where the key requires less. */
  readonly confirm?: ConfirmInCall
}

/** The toolset that is offered only where it is asked for: an agent reads text that others wrote, and could be made to administer. */
export const ADMIN_TOOLSET = 'administration'
/** All other toolsets. */
const ALL = 'all'

/** Toolsets are named after the record types; changes and events form the toolset `journal`. */
const toolsetOf = (plural: string) => (plural === 'changes' ? 'journal' : fold(plural.replace(/(?=[A-Z])/g, '_')))

/** Whatever an agent works on, it has to know what it can do, and how to take it back. */
const ALWAYS: readonly Verb[] = ['describe', 'search', 'getCurrentUser', 'undoChange']

/** What takes a record out of a campaign: of no use without the tools that find its members. */
const UNLINKING: readonly Verb[] = ['unlink']

/** The toolsets of a tool: of its record type, of the types whose id it requires, and of its parents. Empty where it is always included. */
function toolsetsOf({ record, verb, input, tier }: Operation): readonly string[] {
  if (isForAdmins(tier)) return [ADMIN_TOOLSET]
  if (ALWAYS.includes(verb)) return []
  if (UNLINKING.includes(verb)) return [toolsetOf(Campaign.plural)]
  const { required = [] } = input as unknown as { required?: readonly string[] }
  const types = RECORD_TYPES.filter(({ name, id }) => name === record.name || required.includes(id) || record.childOf?.types.includes(name))
  return [...types.filter(({ childOf }) => !childOf).map(({ plural }) => toolsetOf(plural)), ...(record.name === User.name ? [ADMIN_TOOLSET] : [])]
}

const byName: ReadonlyMap<string, { readonly tool: Operation; readonly toolsets: readonly string[] }> = new Map(
  [...TOOLS, ...ADMINISTRATION].map((tool) => [tool.id, { tool, toolsets: toolsetsOf(tool) }]),
)

/** All toolsets but administration. */
export const TOOLSETS: readonly string[] = [...new Set(TOOLS.flatMap(toolsetsOf))].filter((one) => one !== ADMIN_TOOLSET)

/** Whether the filter includes a tool, whatever the caller's access. */
export function isIncluded(name: string, { toolsets, readOnly }: ToolFilter): boolean {
  const { tool, toolsets: its = [] } = byName.get(name) ?? {}
  if (!tool || (readOnly && tool.effect !== 'read')) return false
  const asked = toolsets?.flatMap((one) => (one === ALL ? TOOLSETS : [one])) ?? TOOLSETS
  return its.length === 0 || its.some((one) => asked.includes(one))
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
  for (const one of toolsets ?? []) check('toolsets', one, [...TOOLSETS, ADMIN_TOOLSET, ALL])
  if (readOnly !== undefined) check('read-only', readOnly, ['true', 'false'])
  if (confirm !== undefined) check('confirm', confirm, CONFIRMABLE_IN_CALL)
  const [first] = faults
  if (first) throw new CrmError('invalid_input', first.message, { errors: faults })
  return { ...(toolsets && { toolsets }), readOnly: readOnly === 'true', ...(confirm !== undefined && { confirm: confirm as ConfirmInCall }) }
}
