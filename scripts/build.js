import { execFile } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { build as buildPages } from 'vite'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const dist = join(root, 'dist')

/** The entry points that programs import. They share chunks, so that a CrmError of one is a CrmError of all. */
const LIBRARY = {
  sdk: 'src/transports/sdk/connect.ts',
  local: 'src/app/local.ts',
  'no-local': 'src/transports/sdk/no-local.ts',
  webhooks: 'src/transports/sdk/webhooks.ts',
  contract: 'src/contract/index.ts',
  platform: 'src/platforms/index.ts',
  testing: 'src/testing/index.ts',
}

/** The documentation, as the pages of /docs. */
async function docs() {
  await promisify(execFile)(process.execPath, [join(root, 'scripts/run.js'), 'scripts/docs-site/build.ts'], { cwd: root })
}

const HOW = { absWorkingDir: root, bundle: true, format: 'esm', target: 'node20', logLevel: 'warning' }

/** The command. What only some commands need is in parts of its own, so that it starts fast. */
async function command() {
  const { metafile } = await build({
    ...HOW,
    entryPoints: { main: 'src/main.ts', 'reader-thread': 'src/platforms/stores/sqlite/reader-thread.ts' },
    outdir: dist,
    platform: 'node',
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    // The native module finds its binary beside itself.
    external: ['@photostructure/sqlite'],
    // Bundled CommonJS still asks for Node's own modules with require.
    banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
    metafile: true,
  })
  await removeStale('parts', metafile)
}

/** The library: a file for each entry point, and chunks for what several need. npm packages are not bundled. */
async function library() {
  const { metafile } = await build({
    ...HOW,
    entryPoints: LIBRARY,
    outdir: dist,
    platform: 'neutral',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    packages: 'external',
    // Which of the two it is depends on who imports it, and is said in package.json.
    external: ['crm-connector/local'],
    metafile: true,
  })
  await removeStale('chunks', metafile)
}

/** The console, which is pages and what they load. With another NODE_ENV, as that of a test runner, it would get React's slow development build. */
async function pages() {
  process.env.NODE_ENV = 'production'
  await buildPages({ configFile: join(root, 'console/vite.config.ts'), logLevel: 'warn' })
}

/** The page that clients of MCP show an answer in: one file, since nothing can be loaded where it runs. */
async function app() {
  process.env.NODE_ENV = 'production'
  const { output } = await buildPages({
    configFile: join(root, 'console/vite.config.ts'),
    logLevel: 'warn',
    build: { write: false, rolldownOptions: { input: join(root, 'console/apps.html'), output: { codeSplitting: false } } },
  })
  const textOf = (ending) => output.find(({ fileName }) => fileName.endsWith(ending))
  const code = textOf('.js').code.replaceAll('</script', '<\\/script')
  const page = textOf('.html')
    .source.replace(/<script[^>]*><\/script>|<link rel="stylesheet"[^>]*>/g, '')
    // A function, since the text has signs that a replacement would interpret.
    .replace('</head>', () => `<style>${textOf('.css').source}</style>\n  </head>`)
    .replace('</body>', () => `  <script type="module">${code}</script>\n  </body>`)
  await mkdir(join(dist, 'apps'), { recursive: true })
  await writeFile(join(dist, 'apps/answer.html'), page)
}

/** Removes from a folder what an earlier build has left there. */
async function removeStale(folder, metafile) {
  const made = Object.keys(metafile.outputs).map((path) => basename(path))
  const stale = (await readdir(join(dist, folder))).filter((name) => !made.includes(name))
  await Promise.all(stale.map((name) => rm(join(dist, folder, name), { force: true })))
}

/** The declarations, wanted only in the published package. */
async function types() {
  await rm(join(dist, 'types'), { recursive: true, force: true })
  await promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json'], { cwd: root })
  // No entry point leads to them.
  await rm(join(dist, 'types/simulators'), { recursive: true })
}

await Promise.all([docs(), command(), library(), pages(), app()])
if (process.argv.includes('--types')) await types()
