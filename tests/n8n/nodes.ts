import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import type { CrmConnectorApi } from '../../n8n/credentials/CrmConnectorApi.credentials.ts'
import type { CrmConnector } from '../../n8n/nodes/CrmConnector/CrmConnector.node.ts'
import type { CrmConnectorPollingTrigger } from '../../n8n/nodes/CrmConnectorPollingTrigger/CrmConnectorPollingTrigger.node.ts'
import type { CrmConnectorTrigger } from '../../n8n/nodes/CrmConnectorTrigger/CrmConnectorTrigger.node.ts'

interface Nodes {
  readonly CrmConnector: new () => CrmConnector
  readonly CrmConnectorTrigger: new () => CrmConnectorTrigger
  readonly CrmConnectorPollingTrigger: new () => CrmConnectorPollingTrigger
  readonly CrmConnectorApi: new () => CrmConnectorApi
}

const ENTRY = `
export { CrmConnector } from './nodes/CrmConnector/CrmConnector.node.ts'
export { CrmConnectorTrigger } from './nodes/CrmConnectorTrigger/CrmConnectorTrigger.node.ts'
export { CrmConnectorPollingTrigger } from './nodes/CrmConnectorPollingTrigger/CrmConnectorPollingTrigger.node.ts'
export { CrmConnectorApi } from './credentials/CrmConnectorApi.credentials.ts'
`

/** The nodes, built as they are published: CommonJS, with a stand-in for the package that n8n brings. */
export async function loadNodes(): Promise<Nodes> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-n8n-'))
  const outfile = join(folder, 'nodes.cjs')
  await build({
    absWorkingDir: import.meta.dirname,
    stdin: { contents: ENTRY, resolveDir: join(import.meta.dirname, '../../n8n') },
    outfile,
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    alias: { 'n8n-workflow': join(import.meta.dirname, 'n8n-workflow.ts') },
    logLevel: 'warning',
  })
  const nodes = createRequire(import.meta.url)(outfile) as Nodes
  rmSync(folder, { recursive: true, force: true })
  return nodes
}
