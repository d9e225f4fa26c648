/** npm run generate: writes the reference pages and the OpenAPI document from the contract. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { generatedFiles } from './generated.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
rmSync('docs/operations', { recursive: true, force: true })
for (const [path, text] of generatedFiles(version)) {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
