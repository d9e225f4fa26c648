import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const root = join(import.meta.dirname, '../..')
/** Inside node_modules, so that the native module is found. */
const bundle = join(root, 'node_modules/.cache/tests/open-concurrently-worker.js')

/** Starts processes that open the same file at the same time; each creates a lead, or runs an extra migration. */
export async function openConcurrently(count: number, path: string, migration?: string): Promise<void> {
  await build({
    entryPoints: [join(root, 'tests/support/open-concurrently-worker.ts')],
    outfile: bundle,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
  })
  const moment = String(Date.now() + 100 * count)
  const words = [bundle, path, moment, ...(migration === undefined ? [] : [migration])]
  await Promise.all(Array.from({ length: count }, () => promisify(execFile)(process.execPath, words)))
}
