import type { Tool as Listed, ToolAnnotations } from '@modelcontextprotocol/server'
import type { Operation, Verb } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { Plan } from '../../contract/records/plan.ts'
import { type Extending, operationOn } from '../../core/call/extension.ts'
import { inputSchemaOf } from './input-schema.ts'
import { outputSchemaOf } from './output-schema.ts'

export interface Tool {
  readonly operation: Operation
  readonly listed: Listed
}

/**
 * Calls that change nothing when they are repeated with the same arguments. Updates are not among them: each makes another Revision and
 * an event.
 */
const IDEMPOTENT: readonly Verb[] = ['delete', 'unlink', 'link', 'undoChange']

const ADDS: readonly Verb[] = ['create', 'createCustom', 'attach', 'link']

/** Left out where they equal the defaults of the protocol: not read-only, not idempotent. */
function annotationsOf({ effect, verb }: Operation): ToolAnnotations {
  if (effect === 'read') return { readOnlyHint: true, openWorldHint: false }
  return { destructiveHint: !ADDS.includes(verb), ...(IDEMPOTENT.includes(verb) && { idempotentHint: true }), openWorldHint: false }
}

/** Parts of summaries that do not hold for tools: whole records as answers, and pages, which the instructions explain. */
const HTTP_ONLY = /^Answers with | and answers with the whole record|, page by page, newest first|; the same as GET \/v1\/events/g

function descriptionOf({ summary }: Operation): string {
  const text = summary.replace(HTTP_ONLY, '')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function toolOf(operation: Operation): Tool {
  return {
    operation,
    listed: {
      name: operation.id,
      title: operation.name,
      description: descriptionOf(operation),
      inputSchema: inputSchemaOf(operation) as Listed['inputSchema'],
      outputSchema: outputSchemaOf(operation) as NonNullable<Listed['outputSchema']>,
      annotations: annotationsOf(operation),
    },
  }
}

/** One tool for each operation, in the order of the contract, without administration, webhooks and plans. */
export const TOOLS: readonly Tool[] = OPERATIONS.filter(({ tier, record }) => tier !== 'admin' && record.name !== Plan.name).map(toolOf)

const extended = new WeakMap<Extending['supports'], readonly Tool[]>()

/** The tools with the fields of a platform. */
export function toolsOn(platform: Extending): readonly Tool[] {
  let tools = extended.get(platform.supports)
  if (!tools) {
    tools = TOOLS.map((tool) => {
      const operation = operationOn(platform, tool.operation)
      return operation === tool.operation ? tool : toolOf(operation)
    })
    extended.set(platform.supports, tools)
  }
  return tools
}
