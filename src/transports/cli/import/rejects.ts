import { closeSync, existsSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { CrmError } from '../../../contract/errors.ts'
import { type RejectedRow, rejectText } from '../../../files/reject-text.ts'
import type { RowFile } from './row-file.ts'

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

/** A file that is there already is never written over: somebody may be mending it. */
export function createRejects({ path, format, delimiter }: RowFile, named: string | undefined): Rejects {
  const text = rejectText(format, delimiter)
  if (named !== undefined && existsSync(named))
    throw new CrmError('conflict', `${named} is there already, and rejects are not written over it.`, { hint: 'Say another name with --rejects.' })
  const target = named ?? freeName(path, text.ending)
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
      renameSync(part, target)
      return target
    },
  }
}

/** leads.csv has leads.rejects.csv, then leads.rejects-2.csv. */
function freeName(path: string, ending: string): string {
  const base = path.replace(/(\.rejects(-\d+)?)?\.[^./\\]*$/, '')
  for (let n = 1; ; n++) {
    const name = `${base}.rejects${n === 1 ? '' : `-${n}`}.${ending}`
    if (!existsSync(name)) return name
  }
}
