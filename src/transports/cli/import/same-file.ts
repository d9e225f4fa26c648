import { closeSync, openSync, readSync, statSync } from 'node:fs'

const PIECE = 64 * 1024

/** Whether two files hold the same, without either being read into memory. */
export function isSameFile(one: string, other: string): boolean {
  if (!statSync(one).isFile() || statSync(one).size !== statSync(other).size) return false
  const files = [openSync(one, 'r'), openSync(other, 'r')] as const
  try {
    const [a, b] = [Buffer.alloc(PIECE), Buffer.alloc(PIECE)]
    for (;;) {
      const [read, also] = [readSync(files[0], a), readSync(files[1], b)]
      if (read !== also || a.compare(b, 0, also, 0, read) !== 0) return false
      if (read === 0) return true
    }
  } finally {
    for (const file of files) closeSync(file)
  }
}
