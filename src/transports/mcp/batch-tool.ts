import type { Tool as Listed } from '@modelcontextprotocol/server'
import { BATCH } from '../../contract/batch.ts'
import type { Operation } from '../../contract/operation.ts'

/** Calls other tools. It is no operation: each call is allowed, executed and recorded as by its own tool. */
export const BATCH_TOOL: Listed = {
  name: BATCH.id,
  description: 'Calls several tools, undone as one.',
  inputSchema: {
    type: 'object',
    properties: {
      Operations: { type: 'array', items: { type: 'object' }, description: '{Operation: a tool, Input}' },
      Atomic: { type: 'boolean', description: 'All or nothing' },
      BatchID: { type: 'string', description: 'To continue one' },
    },
    required: ['Operations'],
    additionalProperties: true,
  },
  annotations: {},
  outputSchema: { type: 'object', properties: { BatchID: { type: 'string' } } },
}

/** Whether there is anything to change in a batch of these tools. */
export const hasBatch = (tools: readonly Operation[]): boolean => tools.some(({ effect }) => effect !== 'read')
