import { appendFile, chown, copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { owner, unless } from './postgres-binaries.ts'

/** Lines of postgresql.conf. */
export function configuration(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name} = '${String(value).replaceAll('\\', '\\\\').replaceAll("'", "''")}'\n`)
    .join('')
}

/** Makes the server the owner of a file. */
export async function give(path: string): Promise<void> {
  if (owner.uid !== undefined) await chown(path, owner.uid, owner.gid)
}

/** Takes a base backup of a running server into a folder, so that a server started there is its standby. */
export async function follow(url: string, folder: string, copy: string): Promise<void> {
  const client = new pg.Client(url)
  // A lost connection rejects the query and also emits an error.
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query("SELECT pg_backup_start('standby', true)")
    await copyData(folder, copy)
    const { rows } = await client.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop(false)')
    await place(join(copy, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
  await place(join(copy, 'standby.signal'), '')
  await appendFile(join(copy, 'postgresql.auto.conf'), configuration({ primary_conninfo: `${url}?application_name=standby` }))
}

/** Files that a standby must not copy: those of the running process, and the WAL, which it streams. */
const LEFT_OUT = /[/]data[/](postmaster[.]|pg_wal[/]|pg_replslot[/])/

async function copyData(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 })
  await give(to)
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) await copyData(source, target)
    // The server keeps running and may delete files meanwhile.
    else if (!LEFT_OUT.test(source)) await copyFile(source, target).then(() => give(target), unless('ENOENT'))
  }
}

async function place(path: string, text: string): Promise<void> {
  await writeFile(path, text)
  await give(path)
}
