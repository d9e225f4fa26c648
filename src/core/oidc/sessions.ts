import { Key } from '../../contract/records/key.ts'
import { openOrNull } from '../access/sealed-records.ts'
import { getRecord, nextRevision } from '../call/records.ts'
import { changeTo, lineOf } from '../journal/changes.ts'
import type { Caller, Service } from '../service.ts'

/** Revokes the key of a session. Resolves to the ID token with which it began, where that was stored. */
export async function endSession(service: Service, caller: Caller, requestId: string): Promise<string | undefined> {
  return service.store.write(caller.workspace.number, async (writer) => {
    const key = caller.keyId === null ? undefined : await getRecord(writer, Key, caller.keyId)
    if (key?.Kind !== 'session' || key.RevokedDate !== null) return undefined
    const idToken = key.IDToken === null ? null : openOrNull({ service, caller }, Key, key, 'IDToken')
    const applied = { RevokedDate: writer.now(), IDToken: null, ...nextRevision(key, writer.now()) }
    await writer.update(Key.name, key.KeyID, applied)
    const by = { userId: caller.userId, keyId: caller.keyId, transport: 'http', operation: 'sign_out', requestId, idempotencyKey: null }
    await writer.appendAuditLine(lineOf(changeTo(Key, 'revoked', key, { ...key, ...applied }), by))
    return idToken ?? undefined
  })
}
