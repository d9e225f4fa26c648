import type { CrmError, ErrorCode } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { operationNamed, RECORD_TYPES } from '../../contract/operations.ts'
import { Definition } from '../../contract/records/custom-object.ts'
import { Lead } from '../../contract/records/lead.ts'
import { mayCall } from '../../contract/scopes.ts'
import type { AuditLine } from '../../platforms/store.ts'
import { wasServed } from '../access/served.ts'
import type { Call, Service } from '../service.ts'
import { byOf } from './changes.ts'
import { hasLine } from './forbidden-calls.ts'

/** Codes of refusals that the call itself has caused, and that would be the same a minute later. */
export const LASTING: ReadonlySet<ErrorCode> = new Set(['invalid_input', 'forbidden', 'not_found', 'conflict', 'unsupported', 'platform_rejected', 'too_large'])

/**
 * Records a refusal in the audit: of every write that was refused, and of every call that was forbidden. In a transaction of its own, which
 * calls that are refused at the same time share; where that fails, the refusal is answered all the same.
 */
export async function recordRefusal(service: Service, call: Call, error: CrmError): Promise<void> {
  const operation = operationNamed(call.operation)
  // A write that waits for its confirmation has a line already.
  if (!operation || call.dryRun || error.plan || !LASTING.has(error.code) || (operation.effect === 'read' && error.code !== 'forbidden')) return
  const line: AuditLine = {
    ...byOf(call, operation, call.idempotencyKey ?? null),
    ...subjectOf(operation, call.input),
    before: null,
    after: null,
    outcome: error.code,
    eventType: null,
    owner: null,
    moved: false,
  }
  if (!wasServed(service.store, call.caller.workspace)) return
  if (!mayCall(call.caller, operation) && !hasLine(service, call, line)) return
  await service.store.write(call.caller.workspace.number, (writer) => writer.appendAuditLine(line)).catch(() => {})
}

/** The record a call was about, where the input names it in a form that can be stored. */
function subjectOf({ verb, record }: Operation, input: unknown): { readonly recordType: string; readonly recordId: string | null } {
  const given = Object(input) as { readonly [name: string]: unknown }
  const type = verb === 'unlink' ? Lead : verb === 'eraseRecord' ? (RECORD_TYPES.find(({ name }) => name === given.RecordType) ?? record) : record
  const named = [given.ObjectName, given.FieldName]
  const id = verb === 'eraseRecord' ? given.RecordID : type === Definition && named.every((name) => typeof name === 'string') ? named.join('.') : given[type.id]
  return { recordType: type.name, recordId: typeof id === 'string' && /^[\w:.-]{1,255}$/.test(id) ? id : null }
}
