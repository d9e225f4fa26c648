import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')
const main = join(root, 'dist/main.js')

/** Builds the command and the library once for all tests, unless they are up to date. */
export function setup(): void {
  const sources = ['src', 'console/src', 'simulators/src', 'docs', 'scripts/docs-site', 'scripts/build.js', 'package.json'].flatMap((path) =>
    [path, ...(statSync(join(root, path)).isDirectory() ? below(path) : [])].map((name) => statSync(join(root, name)).mtimeMs),
  )
  if (existsSync(main) && statSync(main).mtimeMs >= Math.max(...sources)) return
  execFileSync(process.execPath, [join(root, 'scripts/build.js')], { stdio: ['ignore', 'ignore', 'inherit'] })
}

const below = (folder: string) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
