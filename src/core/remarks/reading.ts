import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { type Allowed, mayCall } from '../../contract/scopes.ts'
import type { Input } from '../call/types.ts'

/** Who has written. */
export interface Writer extends Allowed {
  readonly userId: string
}

/** Reads as the caller who has written. */
export interface Reading {
  readonly writer: Writer
  call(operation: string, input: Input): Promise<unknown>
}

export type Row = { readonly [member: string]: unknown }

/** The answer of a read; undefined where the caller may not make it, and where it is refused: a remark is never worth an error. */
export async function read({ writer, call }: Reading, operation: Operation, input: Input): Promise<Row | undefined> {
  if (!mayCall(writer, operation)) return undefined
  try {
    return (await call(operation.id, input)) as Row
  } catch (error) {
    if (error instanceof CrmError) return undefined
    throw error
  }
}

/** The same for a list. */
export async function readRows(reading: Reading, operation: Operation, input: Input): Promise<readonly Row[]> {
  return ((await read(reading, operation, input))?.Records as readonly Row[] | undefined) ?? []
}
