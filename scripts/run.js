/** Runs a TypeScript file of this repository: node scripts/run.js bench/bench.ts [words …] */
import { mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const [file, ...words] = process.argv.slice(2)
const bundle = join(root, 'node_modules/.cache/run', `${basename(file, '.ts')}.js`)

mkdirSync(dirname(bundle), { recursive: true })
await build({
  absWorkingDir: root,
  entryPoints: [file],
  outfile: bundle,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'inline',
  logLevel: 'warning',
})
process.argv = [process.argv[0], bundle, ...words]
process.setSourceMapsEnabled(true)
await import(pathToFileURL(bundle).href)
