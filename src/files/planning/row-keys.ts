import { NumberSet, numberOf } from './number-set.ts'

/** SHA-256 of a text, in hexadecimal: Node's own on the command line, a library's in a browser. */
export type Digest = (text: string) => string

/** The name under which the rows of a file are recognised: a file and its rejects have the same. */
export const runNameOf = (file: string) => file.replace(/\.[^.]*$/, '').replace(/\.rejects(-\d+)?$/, '')

/**
 * Makes the idempotency key of a row out of the name of its file and its values, so that a row is recognised when the same file is imported again, also
 * after other rows were corrected, added or removed, and never in another file. Equal rows are distinguished by how many of them came before.
 */
export class RowKeys {
  private readonly run: string
  private readonly digest: Digest
  private readonly seen = new NumberSet()
  private readonly repeats = new Map<number, number>()

  constructor(run: string, digest: Digest) {
    this.run = run
    this.digest = digest
  }

  keyOf(operation: string, input: string): string {
    const digest = this.digest(`${this.run}\n${operation}\n${input}`)
    const number = numberOf(digest)
    if (this.seen.add(number)) return `import-${digest.slice(0, 32)}`
    const nth = (this.repeats.get(number) ?? 1) + 1
    this.repeats.set(number, nth)
    return `import-${digest.slice(0, 32)}-${nth}`
  }
}
