import type { AuditLine } from '../../src/platforms/store.ts'

/** The audit line of an update. */
export const AUDIT_LINE: AuditLine = {
  userId: 'u',
  keyId: null,
  transport: 'sdk',
  operation: 'update_lead',
  recordType: 'Lead',
  recordId: 'lead',
  before: null,
  after: '{"FirstName":"Ada"}',
  requestId: null,
  outcome: 'ok',
  eventType: 'lead.updated',
  idempotencyKey: null,
  owner: 'first',
  moved: false,
}
