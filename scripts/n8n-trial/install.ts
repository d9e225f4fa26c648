import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

/** The tested versions: of n8n, of the Node it needs, and of its linter for community nodes. */
export const N8N = '2.41.1'
const NODE = `node-linux-${process.arch}`
const LINTER = '@n8n/node-cli@0.48.3'

export const root = join(import.meta.dirname, '../../..')

/** The cache between runs: installing takes minutes. */
export const cache = process.env.CRM_N8N_CACHE ?? join(homedir(), '.cache/crm-connector/n8n')

/** Runs a command to its end; its output is shown only where it fails. */
export async function run(command: string, words: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  try {
    return (await promisify(execFile)(command, words, { cwd, env, maxBuffer: 1 << 28 })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${words.join(' ')} failed:\n${stdout ?? ''}\n${stderr ?? ''}`)
  }
}

/** A folder of the cache, filled once. An incomplete one is filled again. */
async function filled(name: string, fill: (folder: string) => Promise<unknown>): Promise<string> {
  const folder = join(cache, name)
  if (existsSync(join(folder, 'complete'))) return folder
  console.log(`  installing ${name} …`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await fill(folder)
  writeFileSync(join(folder, 'complete'), '')
  return folder
}

const packageJson = (folder: string, content: object) => writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...content }))

const INSTALL = ['install', '--no-audit', '--no-fund', '--legacy-peer-deps', '--ignore-scripts', '--loglevel=error']

/** The Node that n8n needs: this one, where it is new enough. */
async function installNode(): Promise<string> {
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath
  const folder = await filled('node-24', (into) => {
    packageJson(into, {})
    return run('npm', [...INSTALL, `${NODE}@24.21.0`], into)
  })
  return join(folder, 'node_modules', NODE, 'bin/node')
}

/** n8n without native modules, except for its database. */
function installN8n(node: string): Promise<string> {
  return filled(`n8n-${N8N}`, async (folder) => {
    // The newest linkedom needs a package that not every registry has.
    packageJson(folder, { dependencies: { n8n: N8N }, overrides: { linkedom: '0.18.14' } })
    const env = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}`, npm_config_nodedir: join(dirname(node), '..') }
    await run('npm', INSTALL, folder, env)
    await run('npm', ['rebuild', 'sqlite3', '--loglevel=error'], folder, env)
  })
}

function installLinter(): Promise<string> {
  return filled('linter', (folder) => {
    packageJson(folder, {})
    return run('npm', [...INSTALL, LINTER, 'typescript@5.9.3'], folder)
  })
}

export interface Installed {
  readonly node: string
  readonly n8n: string
  readonly linter: string
}

export async function install(): Promise<Installed> {
  mkdirSync(cache, { recursive: true })
  const node = await installNode()
  return { node, n8n: join(await installN8n(node), 'node_modules/n8n/bin/n8n'), linter: await installLinter() }
}

/** A copy of the package's sources beside the linter. */
export function sourcesBeside(linter: string): string {
  const folder = join(linter, 'package')
  rmSync(folder, { recursive: true, force: true })
  cpSync(join(root, 'n8n'), folder, { recursive: true, filter: (from) => !/\/(dist|node_modules)$|n8n-workflow\.d\.ts$/.test(from) })
  return folder
}
