import type { ClientCapabilities, Tool as Listed, ReadResourceResult } from '@modelcontextprotocol/server'
import { BATCH } from '../../contract/batch.ts'
import { isDestructive, type Operation, overwrites, type Verb } from '../../contract/operation.ts'
import { newMembers } from './output-schema.ts'
import type { ToolFilter } from './tool-filter.ts'

/** The extension of the protocol by which clients show pages of a server beside its answers (MCP Apps). */
export const EXTENSION = 'io.modelcontextprotocol/ui'

/** The page that shows an answer: a table of records, the pipeline, or what waits to be confirmed. */
export const APP = 'ui://crm'

const PAGE_TYPE = 'text/html;profile=mcp-app'

/** Whether a client shows such pages. */
export function showsApps({ extensions }: ClientCapabilities): boolean {
  const { mimeTypes } = Object(extensions?.[EXTENSION]) as { readonly mimeTypes?: readonly unknown[] }
  return Array.isArray(mimeTypes) && mimeTypes.includes(PAGE_TYPE)
}

const SHOWN: readonly Verb[] = ['getMany', 'getSummary', 'search']

/** Whether a person can confirm a call in the page beside its answer. */
export const isConfirmedInPage = (operation: Operation, { confirm }: ToolFilter): boolean =>
  isDestructive(operation) || (confirm === 'updates' && overwrites(operation))

/** Tools with the page that shows their answers. To make room for it, schemas of answers that only repeat an id of the input are left out. */
export function withApps(listed: readonly Listed[], operations: readonly Operation[], filter: ToolFilter): Listed[] {
  const paged = operations.filter((operation) => SHOWN.includes(operation.verb) || isConfirmedInPage(operation, filter))
  const shown = new Set([BATCH.id, ...paged.map(({ id }) => id)])
  const repeating = new Set(operations.filter((operation) => newMembers(operation).length === 0).map(({ id }) => id))
  return listed.map(({ outputSchema, ...tool }) => ({
    ...tool,
    ...(outputSchema && !repeating.has(tool.name) && { outputSchema }),
    ...(shown.has(tool.name) && { _meta: { ui: { resourceUri: APP } } }),
  }))
}

/** The page needs nothing from anywhere: what it shows comes from the client. */
export const appContents = (text: string): ReadResourceResult => ({
  contents: [{ uri: APP, mimeType: PAGE_TYPE, text, _meta: { ui: { prefersBorder: true } } }],
})
