import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CommandOptions, runHere } from './cli.ts'
import type { Ran } from './crm.ts'
import { temporaryFolder } from './folder.ts'

/** A folder with a new store, for commands that read and write files. */
export interface Place {
  readonly folder: string
  readonly env: { readonly [variable: string]: string }
  /** Writes a file and returns its path. */
  file(name: string, content: string | Uint8Array): string
  read(name: string): string
  run(words: readonly string[], how?: CommandOptions): Promise<Ran>
  /** The JSON answer of a successful command. */
  answer(words: readonly string[]): Promise<Record<string, unknown>>
  /** All records of a type, oldest first. */
  records(operation: string, born?: string): Promise<Record<string, unknown>[]>
}

/** Uses the store or server that `env` names, or a new store. */
export async function placeForFiles(env?: { readonly [variable: string]: string }): Promise<Place> {
  const folder = await temporaryFolder()
  const surrounding = { HOME: folder, NO_COLOR: '1', ...(env ?? { CRM_PLATFORM: `sqlite:${join(folder, 'crm.db')}` }) }
  const run: Place['run'] = (words, how = {}) => runHere(words, { ...how, env: { ...surrounding, ...how.env } })
  return {
    folder,
    env: surrounding,
    file(name, content) {
      writeFileSync(join(folder, name), content)
      return join(folder, name)
    },
    read: (name) => readFileSync(join(folder, name), 'utf8'),
    run,
    async answer(words) {
      const { code, out, err } = await run(words)
      if (code !== 0) throw new Error(`${words.join(' ')} ended with ${code}:\n${out.slice(0, 1000)}${err}`)
      return JSON.parse(out) as Record<string, unknown>
    },
    async records(operation, born = 'CreatedDate') {
      const { code, out, err } = await run([operation, '--all', '--OrderBy', `${born} asc`, '--output', 'json'])
      if (code !== 0) throw new Error(err)
      return out
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>)
    },
  }
}

/** Each record reduced to these members. */
export const only = (records: readonly Record<string, unknown>[], ...names: readonly string[]) =>
  records.map((record) => Object.fromEntries(names.map((name) => [name, record[name]])))
