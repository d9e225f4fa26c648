import type { Access } from '../access.ts'
import { forbidden } from '../errors.ts'
import type { Values } from '../store.ts'

export const NEW_NOTE: Values = { data: {}, type: 'Post' }

/** A user may post to the streams that they may read. */
export function checkNote(access: Access, { parentType, parentId, type }: Values): void {
  if (typeof parentType === 'string' && typeof parentId === 'string') {
    const parent = access.store.get(parentType, parentId)
    if (!parent || !access.allowsOn(parent, 'stream')) throw forbidden('No create access.')
  }
  if (type !== 'Post' && !access.isAdmin) throw forbidden("Only 'Post' type allowed.")
}
