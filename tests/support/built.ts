import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const main = join(root, 'dist/main.js')

/** Builds what tests start as a process, unless that is as new as its sources. */
export function setup(): void {
  const sources = ['src', 'console/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => statSync(join(root, folder, name)).mtimeMs),
  )
  if (existsSync(main) && statSync(main).mtimeMs >= Math.max(...sources)) return
  execFileSync(process.execPath, [join(root, 'scripts/build.js')])
}
