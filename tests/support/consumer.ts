import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
export const TSC = join(root, 'node_modules/typescript/bin/tsc')

export interface Consumer {
  readonly folder: string
  /** Writes a file and resolves to its path. */
  write(name: string, text: string): string
  /** Runs a Node program in the folder and resolves to its output. */
  node(...words: string[]): Promise<string>
  close(): Promise<void>
}

/**
 * A folder in which the package is installed as it would be published, with only its dependencies. Declarations are built only with
 * `types`, since that is slow.
 */
export async function consumer({ types = false } = {}): Promise<Consumer> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-consumer-'))
  const installed = join(folder, 'node_modules/crm-connector')
  mkdirSync(installed, { recursive: true })
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], { cwd: root, maxBuffer: 10_000_000 })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  await run('tar', ['-xzf', join(folder, filename), '--strip-components=1', '-C', installed])
  // The build for tests has no declarations, or stale ones.
  await rm(join(installed, 'dist/types'), { recursive: true, force: true })
  if (types) await run(process.execPath, [TSC, '-p', join(root, 'tsconfig.types.json'), '--outDir', join(installed, 'dist/types')])
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { dependencies: object }
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), link)
  }
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }')
  return {
    folder,
    write(name, text) {
      const path = join(folder, name)
      writeFileSync(path, text)
      return path
    },
    node: async (...words) => (await run(process.execPath, words, { cwd: folder })).stdout,
    close: () => rm(folder, { recursive: true, force: true }),
  }
}
