import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { CrmError } from '../../../contract/errors.ts'
import type { RejectedRow } from '../../../files/planning/planned-row.ts'
import type { RowFile } from '../../../files/reading/row-file.ts'
import { rejectText } from '../../../files/sending/reject-text.ts'
import { partOf } from '../part-file.ts'
import { isSameFile } from './same-file.ts'

/** The rows that were not imported, in a file of the same format, each with its line and its error. */
export interface Rejects {
  readonly count: number
  /** The first few of them. */
  readonly first: readonly RejectedRow[]
  add(rows: readonly RejectedRow[]): void
  /** Finishes the file, and returns its path; undefined where there were no rejects. */
  end(): string | undefined
}

const FEW = 5

/** An existing file of rejects is never overwritten, since it may be being corrected. One with the same content is used as it is. */
export function createRejects(rows: RowFile, named: string | undefined): Rejects {
  const text = rejectText(rows)
  if (named !== undefined && existsSync(named))
    throw new CrmError('conflict', `${named} exists already, and is not overwritten with rejects.`, { hint: 'Choose another name with --rejects.' })
  const { existing, free: target } = named === undefined ? rejectNames(rows.name, text.ending) : { existing: [], free: named }
  const part = `${target}.part`
  const first: RejectedRow[] = []
  let file: number | undefined
  let count = 0

  function create(names: readonly string[]): number {
    try {
      const opened = openSync(partOf(target), 'wx', 0o600)
      writeSync(opened, text.head(names))
      return opened
    } catch (error) {
      if (error instanceof CrmError) throw error
      throw new CrmError('invalid_input', `The rejects cannot be written to ${target}: ${(error as Error).message}`, {
        hint: 'Choose another place with --rejects.',
      })
    }
  }

  return {
    get count() {
      return count
    },
    first,
    add(rejects) {
      for (const rejected of rejects) {
        file ??= create(rejected.row.names)
        writeSync(file, text.line(rejected))
        if (first.length < FEW) first.push(rejected)
      }
      count += rejects.length
    },
    end() {
      if (file === undefined) {
        rmSync(part, { force: true })
        return undefined
      }
      closeSync(file)
      const same = existing.find((name) => isSameFile(name, part))
      if (same === undefined) renameSync(part, target)
      else rmSync(part)
      return same ?? target
    },
  }
}

/** The existing files of rejects, and the next free name: leads.csv has leads.rejects.csv, then leads.rejects-2.csv. */
function rejectNames(path: string, ending: string): { readonly existing: readonly string[]; readonly free: string } {
  const base = path.replace(/(\.rejects(-\d+)?)?\.[^./\\]*$/, '')
  const existing: string[] = []
  for (let n = 1; ; n++) {
    const name = `${base}.rejects${n === 1 ? '' : `-${n}`}.${ending}`
    if (!existsSync(name)) return { existing, free: name }
    existing.push(name)
  }
}
