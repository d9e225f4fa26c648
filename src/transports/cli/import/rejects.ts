import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { CrmError } from '../../../contract/errors.ts'
import { type RejectedRow, rejectText } from '../../../files/sending/reject-text.ts'
import type { RowFile } from '../../../files/reading/row-file.ts'
import { isSameFile } from './same-file.ts'

/** The rows that were not imported, in a file of the same kind, each with its line and what is wrong with it. */
export interface Rejects {
  readonly count: number
  /** The first few of them. */
  readonly first: readonly RejectedRow[]
  add(rows: readonly RejectedRow[]): void
  /** Leaves the file, and says where it is; undefined where there were none. */
  end(): string | undefined
}

const FEW = 5

/** A file that is there already is never written over: somebody may be mending it. One that says the very same is taken for this one. */
export function createRejects({ path, format, delimiter }: RowFile, named: string | undefined): Rejects {
  const text = rejectText(format, delimiter)
  if (named !== undefined && existsSync(named))
    throw new CrmError('conflict', `${named} is there already, and rejects are not written over it.`, { hint: 'Say another name with --rejects.' })
  const { taken, free: target } = named === undefined ? rejectNames(path, text.ending) : { taken: [], free: named }
  const part = `${target}.part`
  const first: RejectedRow[] = []
  let file: number | undefined
  let count = 0

  function begin(names: readonly string[]): number {
    try {
      const opened = openSync(part, 'w', 0o600)
      writeSync(opened, text.head(names))
      return opened
    } catch (error) {
      throw new CrmError('invalid_input', `The rejects cannot be written to ${target}: ${(error as Error).message}`, { hint: 'Say where to with --rejects.' })
    }
  }

  return {
    get count() {
      return count
    },
    first,
    add(rows) {
      for (const rejected of rows) {
        file ??= begin(rejected.row.names)
        writeSync(file, text.line(rejected))
        if (first.length < FEW) first.push(rejected)
      }
      count += rows.length
    },
    end() {
      if (file === undefined) {
        rmSync(part, { force: true })
        return undefined
      }
      closeSync(file)
      const same = taken.find((name) => isSameFile(name, part))
      if (same === undefined) renameSync(part, target)
      else rmSync(part)
      return same ?? target
    },
  }
}

/** The files of rejects that are there, and the next name that is free: leads.csv has leads.rejects.csv, then leads.rejects-2.csv. */
function rejectNames(path: string, ending: string): { readonly taken: readonly string[]; readonly free: string } {
  const base = path.replace(/(\.rejects(-\d+)?)?\.[^./\\]*$/, '')
  const taken: string[] = []
  for (let n = 1; ; n++) {
    const name = `${base}.rejects${n === 1 ? '' : `-${n}`}.${ending}`
    if (!existsSync(name)) return { taken, free: name }
    taken.push(name)
  }
}
