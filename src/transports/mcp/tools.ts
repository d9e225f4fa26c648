import type { Tool as Listed, ToolAnnotations } from '@modelcontextprotocol/server'
import type { Operation, Verb } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { Plan } from '../../contract/records/plan.ts'
import { type Extending, operationOn } from '../../core/call/extension.ts'
import { inputSchemaOf } from './input-schema.ts'
import { outputSchemaOf } from './output-schema.ts'

export interface Tool {
  readonly operation: Operation
  /** As it is listed. */
  readonly listed: Listed
}

/**
 * What changes nothing more when it is called again with the same arguments. Whatever takes something away finds it gone, what was
 * undone cannot be undone once more, and a lead is in a campaign once; but each update makes another Revision, and an event of it.
 */
const SETTLED: readonly Verb[] = ['delete', 'unlink', 'link', 'undoChange']

/** What only adds to what is there. */
const ADDS: readonly Verb[] = ['create', 'createCustom', 'attach', 'link']

/** What is not said is as the protocol assumes it: no tool only reads, or is idempotent, unless it says so. */
function annotationsOf({ effect, verb }: Operation): ToolAnnotations {
  if (effect === 'read') return { readOnlyHint: true, openWorldHint: false }
  return { destructiveHint: !ADDS.includes(verb), ...(SETTLED.includes(verb) && { idempotentHint: true }), openWorldHint: false }
}

/** What summaries say about answers, which are other ones here, and about pages, which the instructions explain once. */
const ELSEWHERE = /^Answers with | and answers with the whole record|, page by page, newest first|; the same as GET \/v1\/events/g

function descriptionOf({ summary }: Operation): string {
  const said = summary.replace(ELSEWHERE, '')
  return said.charAt(0).toUpperCase() + said.slice(1)
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

/** One tool an operation, in the order of the contract. Administration, webhooks and plans among it, is not for agents. */
export const TOOLS: readonly Tool[] = OPERATIONS.filter(({ tier, record }) => tier !== 'admin' && record.name !== Plan.name).map(toolOf)

const extended = new WeakMap<Extending['supports'], readonly Tool[]>()

/** The tools as they are on a platform. */
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
