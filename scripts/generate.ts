/** npm run generate: writes the reference pages, the OpenAPI document and the parameters of the n8n node from the contract. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { generatedFiles } from './generated.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
for (const folder of ['docs/operations', 'n8n/nodes/CrmConnector/resources']) rmSync(folder, { recursive: true, force: true })
for (const [path, text] of generatedFiles(version)) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
