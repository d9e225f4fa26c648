import type { Tool as Listed, ToolAnnotations } from '@modelcontextprotocol/server'
import { isForPeople, type Operation, type Verb } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { Plan } from '../../contract/records/plan.ts'
import { isForAdmins } from '../../contract/scopes.ts'
import { type Extending, operationOn } from '../../core/call/extension.ts'
import { BATCH_TOOL, hasBatch } from './batch-tool.ts'
import { argumentFields, inputSchemaOf, type Naming, namingOf } from './input-schema.ts'
import { outputSchemaOf } from './output-schema.ts'

/** The operations that are tools, in the order of the contract: all but administration and plans. */
export const TOOLS: readonly Operation[] = OPERATIONS.filter(({ tier, record }) => !isForAdmins(tier) && record.name !== Plan.name)

/**
 * Those that are tools only where they are asked for. What a person alone may decide on is none at all, nor is what answers with a secret: an agent would
 * have it in its context, and in its client's log.
 */
export const ADMINISTRATION: readonly Operation[] = OPERATIONS.filter(
  (operation) => isForAdmins(operation.tier) && !isForPeople(operation) && operation.shownOnce === undefined,
)

/** Tools with the fields of a platform. */
export const toolsOn = (platform: Extending, tools: readonly Operation[] = TOOLS): readonly Operation[] =>
  tools.map((operation) => operationOn(platform, operation))

/** Tools as they are listed: the fields of a record are named by the first of them that takes any, and the others refer to it. */
export function listTools(operations: readonly Operation[]): Listed[] {
  const naming = namingOf(operations)
  return [...operations.map((operation) => listTool(operation, naming)), ...(hasBatch(operations) ? [BATCH_TOOL] : [])]
}

/** Without what a client knows already: a title is the name again. */
function listTool(operation: Operation, naming: Naming): Listed {
  const { others } = argumentFields(operation, naming)
  return {
    name: operation.id,
    description: [descriptionOf(operation), others].filter(Boolean).join(' '),
    inputSchema: inputSchemaOf(operation, naming) as Listed['inputSchema'],
    outputSchema: outputSchemaOf(operation) as Listed['outputSchema'],
    annotations: annotationsOf(operation),
  }
}

/** Calls that change nothing more when they are repeated with the same arguments. */
const IDEMPOTENT: readonly Verb[] = ['update', 'upsert', 'upsertCustom', 'delete', 'unlink', 'link', 'undoChange', 'convert']

/** Left out where they equal the defaults of the protocol: not read-only, destructive, not idempotent, of an open world: a CRM is full of what strangers wrote. */
function annotationsOf({ effect, verb }: Operation): ToolAnnotations {
  if (effect === 'read') return { readOnlyHint: true }
  return { ...(effect === 'create' && { destructiveHint: false }), ...(IDEMPOTENT.includes(verb) && { idempotentHint: true }) }
}

/** Parts of summaries that tools do without: whole records as answers, and what the instructions explain or the annotations say. */
const LEFT_OUT = [
  /^Answers with (the (?!audit|user|fields|events))?/,
  /,? and answers with the whole record/,
  /, page by page, newest first/,
  /; the same as GET \/v1\/events/,
  /^figures over the \w+ the caller may see: /,
  / in detail: its fields/,
  / only the named( user-defined)? fields( \(or OwnerID\))? of/,
  / where there is none/,
  / that matches,(?= or creates)/,
  /, and the (newest|oldest open one)/,
  /, with the record before and after/,
  /, the best match first/,
  /, in one step/,
  / the caller may see(?=:)/,
  /, oldest first, from a cursor on/,
  /; its definitions stay/,
  /( and|,) its newest \w+( and its campaigns)?/,
  /, and what the key allows/,
  /, and the objects the workspace has defined/,
  / of a lead, an opportunity, a company or a contact/,
  /, and empties the references to it/,
  /; doing it twice [^.]+/,
  /, in one step that is undone as one/,
  /; new fields are defined as by Create Custom Object/,
  / in their names, e-mail addresses, phone numbers and texts/,
  /: type, label, allowed values and filter operators/,
  /: themselves and those below them; admins see all users/,
  /; user-defined fields are filtered by name/,
  /: restores the record as it was before/,
  / of records the caller may see/,
  /: its definitions and its values/,
  / that leads can be added to/,
  / called ObjectName/,
  / of several types/,
  /; it is internal unless Publish is true/,
]

function descriptionOf({ summary, tier }: Operation): string {
  if (isForAdmins(tier)) return summary
  const text = LEFT_OUT.reduce((left, part) => left.replace(part, ''), summary)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
