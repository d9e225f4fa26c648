import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import type { Json } from '../../console/src/operations/form/json.ts'
import { typescriptOf } from '../../console/src/operations/requests/typescript.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { folderInside } from '../support/folder.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')

test('the request as TypeScript is one that the compiler takes, for every example', async () => {
  const folder = await folderInside('snippets-')
  const calls = OPERATIONS.map((operation) => typescriptOf({ operation, input: operation.example as Json, baseUrl: 'http://localhost' }))
  const [first = ''] = calls[0]?.split('\n') ?? []
  await writeFile(join(folder, 'calls.ts'), [first, ...calls.map((text) => `{${text.replace(first, '')}\n}`)].join('\n'))
  const paths = { 'crm-connector': [join(root, 'src/transports/sdk/connect.ts')], 'crm-connector/local': [join(root, 'src/app/local.ts')] }
  const config = { extends: join(root, 'tsconfig.json'), compilerOptions: { paths, typeRoots: [join(root, 'node_modules/@types')] }, include: ['*.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const { stdout } = await run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]).catch((failed) => failed as { stdout: string })
  expect(stdout).toBe('')
})
