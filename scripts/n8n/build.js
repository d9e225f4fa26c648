/** npm run build -w n8n: makes n8n/dist, as n8n loads it: CommonJS, one file for each node and for the credentials. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../n8n')
const { n8n } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const files = [...n8n.nodes, ...n8n.credentials]

rmSync(join(folder, 'dist'), { recursive: true, force: true })
await build({
  absWorkingDir: folder,
  entryPoints: files.map((file) => file.replace(/^dist\//, '').replace(/\.js$/, '.ts')),
  outbase: '.',
  outdir: 'dist',
  bundle: true,
  // n8n brings it.
  external: ['n8n-workflow'],
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
})
// The sources are modules, what n8n requires is not.
mkdirSync(join(folder, 'dist'), { recursive: true })
writeFileSync(join(folder, 'dist/package.json'), '{ "type": "commonjs" }\n')
cpSync(join(folder, 'icons'), join(folder, 'dist/icons'), { recursive: true })
for (const file of n8n.nodes) {
  const codex = file.replace(/^dist\//, '').replace(/\.js$/, '.json')
  cpSync(join(folder, codex), join(folder, 'dist', codex))
}
