import { hash, randomFillSync } from 'node:crypto'
import type { AuditLine } from '../../store.ts'
import { ALWAYS_SEALED, SEALED } from './audit-columns.ts'

/** Where a chain begins. */
export const START = { number: 0, seal: '' }

export interface Link {
  readonly number: number
  readonly seal: string
}

/** A line that has no place in the chain yet, with all that its seal covers. */
export type Unsealed = Omit<AuditLine, 'before' | 'after' | 'owner' | 'moved'> & {
  readonly changeId: string
  readonly at: string
  readonly beforeDigest: string | null
  readonly afterDigest: string | null
}

/**
 * The place of the line that follows another. Its seal covers the workspace, every word of the line and, of the images, their digests: an
 * image can be erased, and the chain still shows that nothing else was changed.
 */
export const linkAfter = (before: Link, line: Unsealed, workspace: number): Link => sealed(before, cellsOf(line), [workspace])

/** The same for the cells of a line, which begin with what is sealed. */
export const linkAfterCells = (before: Link, cells: readonly unknown[], workspace: number): Link => sealed(before, cells, [workspace])

/** The same as lines were sealed before seals covered the workspace. */
export const earlierLinkAfter = (before: Link, line: Unsealed): Link => sealed(before, cellsOf(line), [])

const cellsOf = (line: Unsealed) => SEALED.map((member) => (line as { readonly [member: string]: unknown })[member] ?? null)

function sealed(before: Link, cells: readonly unknown[], place: readonly number[]): Link {
  const number = before.number + 1
  let end = SEALED.length
  while (end > ALWAYS_SEALED && cells[end - 1] === null) end--
  return { number, seal: hash('sha256', JSON.stringify([before.seal, number, ...place, ...cells.slice(0, end)]), 'base64url') }
}

/** The digest of an image. Without the salt, which is erased with it, the image cannot be found by trying candidates. */
export function imageDigest(salt: string | null, image: string | null): string | null {
  return image === null ? null : hash('sha256', `${salt}${image}`, 'base64url')
}

const SALT_BYTES = 12
const pool = Buffer.alloc(SALT_BYTES * 512)
let used = pool.length

export function newSalt(): string {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += SALT_BYTES
  return pool.toString('base64url', used - SALT_BYTES, used)
}
