import type { Tool as Listed, ToolAnnotations } from '@modelcontextprotocol/server'
import type { Operation, Verb } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { Plan } from '../../contract/records/plan.ts'
import { isForAdmins } from '../../contract/scopes.ts'
import { type Extending, operationOn } from '../../core/call/extension.ts'
import { argumentFields, inputSchemaOf, type Naming, namingOf } from './input-schema.ts'

/** The operations that are tools, in the order of the contract: all but administration, webhooks and plans. */
export const TOOLS: readonly Operation[] = OPERATIONS.filter(({ tier, record }) => !isForAdmins(tier) && record.name !== Plan.name)

/** The tools with the fields of a platform. */
export const toolsOn = (platform: Extending): readonly Operation[] => TOOLS.map((operation) => operationOn(platform, operation))

/** Tools as they are listed: the fields of a record are named by the first of them that takes any, and the others refer to it. */
export function listTools(operations: readonly Operation[]): Listed[] {
  const naming = namingOf(operations)
  return operations.map((operation) => listTool(operation, naming))
}

/** Without what a client knows already: a title is the name again, and a schema of the answer would say what the instructions say of all tools. */
function listTool(operation: Operation, naming: Naming): Listed {
  const { others } = argumentFields(operation, naming)
  return {
    name: operation.id,
    description: [descriptionOf(operation), others].filter(Boolean).join(' '),
    inputSchema: inputSchemaOf(operation, naming) as Listed['inputSchema'],
    annotations: annotationsOf(operation),
  }
}

/**
 * Calls that change nothing when they are repeated with the same arguments. Updates are not among them: each makes another Revision and
 * an event.
 */
const IDEMPOTENT: readonly Verb[] = ['upsert', 'upsertCustom', 'delete', 'unlink', 'link', 'undoChange', 'convert']

const ADDS: readonly Verb[] = ['create', 'createCustom', 'attach', 'link']

/** Left out where they equal the defaults of the protocol: not read-only, destructive, not idempotent. */
function annotationsOf({ effect, verb }: Operation): ToolAnnotations {
  if (effect === 'read') return { readOnlyHint: true, openWorldHint: false }
  return { ...(ADDS.includes(verb) && { destructiveHint: false }), ...(IDEMPOTENT.includes(verb) && { idempotentHint: true }), openWorldHint: false }
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
]

function descriptionOf({ summary }: Operation): string {
  const text = LEFT_OUT.reduce((left, part) => left.replace(part, ''), summary)
  return text.charAt(0).toUpperCase() + text.slice(1)
}
