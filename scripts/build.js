import { execFile } from 'node:child_process'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')

const BUNDLES = {
  main: 'src/main.ts',
  sdk: 'src/transports/sdk/connect.ts',
  contract: 'src/contract/index.ts',
  testing: 'src/testing/index.ts',
}

const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
const ours = join(root, 'src/transports/http/assets')
const DOCS = {
  'swagger-ui.css': swagger,
  'swagger-ui-bundle.js': swagger,
  'favicon-32x32.png': swagger,
  'page.css': ours,
  'docs.css': ours,
  'docs.js': ours,
}

/** The assets of /docs. */
async function docs() {
  await mkdir(join(dist, 'docs'), { recursive: true })
  await Promise.all(Object.entries(DOCS).map(([name, folder]) => copyFile(join(folder, name), join(dist, 'docs', name))))
}

/** One file for each door into the package. */
async function bundles() {
  await build({
    absWorkingDir: root,
    entryPoints: BUNDLES,
    outdir: dist,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    // The native module finds its binary beside itself; vitest belongs to whoever runs the suite.
    external: ['@photostructure/sqlite', 'vitest'],
    // Bundled CommonJS still asks for Node's own modules with require.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    logLevel: 'warning',
  })
}

/** The declarations, wanted only in the published package. */
async function types() {
  await rm(join(dist, 'types'), { recursive: true, force: true })
  await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json'], { cwd: root })
}

await docs()
await bundles()
if (process.argv.includes('--types')) await types()
