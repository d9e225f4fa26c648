import { IN_CRM } from '../../contract/records/event.ts'
import { NOBODY } from '../../contract/records/user.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { lineOf, mapped, type RecordChange } from '../journal/changes.ts'

const BY_OTHERS = { keyId: null, transport: IN_CRM, operation: 'watch', requestId: null, idempotencyKey: null } as const

/** Announces what others have done, and which of our users it was, if one. */
export async function announce(writer: StoreWriter, change: RecordChange, userId: string = NOBODY): Promise<void> {
  await writer.appendAuditLine(lineOf(mapped(change), { ...BY_OTHERS, userId }))
}
