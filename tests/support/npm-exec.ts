import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { collected, type Ran } from './crm.ts'

/** A newer Node for packages that need one. */
const NODE = `node-linux-${process.arch}@24.21.0`

/** Runs the command of a published package that is not a dependency, in this folder. */
export async function npmExec(packageName: string, words: readonly string[], cwd: string): Promise<Ran> {
  const node = Number(process.versions.node.split('.')[0]) < 24 ? [`--package=${NODE}`] : []
  const child = spawn('npm', ['exec', '--yes', ...node, `--package=${packageName}`, '--', ...words], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  const [out, err] = [collected(child.stdout), collected(child.stderr)]
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, out: out(), err: err() }
}
