import { recordType } from '../../contract/operations.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { dropAttached } from './attached/bring.ts'
import { noteErasure } from './erasures.ts'

/** Erases what a mirror has of a record, with what is attached to it, in the transaction in which its images are erased. */
export async function eraseFromMirror(writer: StoreWriter, types: readonly string[], id: string): Promise<void> {
  await noteErasure(writer, types, id, false)
  for (const type of types) {
    await dropAttached(writer, recordType(type), id)
    await writer.inMirror().erase(type, id)
  }
}
