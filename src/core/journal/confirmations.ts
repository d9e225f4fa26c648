import { randomBytes } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import { isDestructive } from '../../contract/operation.ts'
import { quote } from '../../contract/operations.ts'
import { Plan } from '../../contract/records/plan.ts'
import type { WaitingPlan } from '../../contract/waiting-plan.ts'
import type { Platform, Reader, StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { digestOf, sameDigest } from '../access/keys.ts'
import type { DryRun } from '../call/dry-run.ts'
import { findRecords, getRecord, newRecord, nextRevision, type RecordOf } from '../call/records.ts'
import type { CheckedCall, Context, Prepared } from '../call/types.ts'
import { isSameRevision } from '../verbs/context.ts'
import { byOf, changeTo, lineOf, type RecordChange } from './changes.ts'
import { fingerprintOf } from './idempotency.ts'

type StoredPlan = RecordOf<typeof Plan>

/** How long a confirmation can be given, and how long it stays readable afterwards. */
const CONFIRMED_WITHIN_MS = 15 * 60_000
const KEPT_MS = 24 * 3_600_000
/** Expired confirmations that are deleted whenever a new one is requested. */
const DELETED_AT_ONCE = 100

/** Whether the operation, the key or the transport wants this write confirmed. */
export function needsConfirmation({ caller, call, operation }: CheckedCall): boolean {
  return operation.confirmed || ((caller.confirms || call.confirm === true) && isDestructive(operation))
}

/** Stores a confirmation to wait for, and resolves to the refusal that carries its token; to undefined where the write would take nothing away. */
export async function requestConfirmation(checked: CheckedCall, { outcome, change }: DryRun): Promise<CrmError | undefined> {
  const { service, caller, operation, call, input } = checked
  if (!change || (operation.effect !== 'delete' && change.after !== null)) return undefined
  const secret = randomBytes(32).toString('base64url')
  const members = {
    UserID: caller.userId,
    KeyID: caller.keyId,
    Operation: operation.id,
    RecordType: change.record.name,
    RecordID: change.id,
    ExpiresDate: new Date(service.now().getTime() + CONFIRMED_WITHIN_MS).toISOString(),
    Input: input,
    Preview: outcome.result as WaitingPlan['Preview'],
    Digest: digestOf(secret),
    Fingerprint: fingerprintOf(operation, input),
    RecordRevision: revisionOf(change),
  }
  const PlanID = await service.store.write(caller.workspace.number, async (writer) => {
    await deleteExpired(writer, new Date(service.now().getTime() - KEPT_MS).toISOString())
    const waiting = await findWaiting(writer, members)
    if (waiting) {
      // Only the newest token is valid.
      await writer.update(Plan.name, waiting.PlanID, { ...(members as unknown as StoredRecord), ...nextRevision(waiting, writer.now()) })
      return waiting.PlanID
    }
    const record = newRecord(Plan, writer.newId(), members) as StoredPlan
    await writer.create(Plan.name, record)
    await writer.appendAuditLine(lineOf(planChange('planned', null, record), byOf(call, operation, call.idempotencyKey ?? null)))
    return record.PlanID
  })
  const { Operation, RecordType, RecordID, ExpiresDate, Preview } = members
  return new CrmError('conflict', `${operation.name} has to be confirmed, and nothing was changed yet.`, {
    hint: `Check the plan, then repeat the call with its token as Confirmation-Token, before ${ExpiresDate}.`,
    plan: { PlanID, Token: `${PlanID}.${secret}`, Operation, RecordType, RecordID, ExpiresDate, Preview },
  })
}

/**
 * The confirmation that a call's token stands for. Refuses a token of another caller or call, and one that is no longer waiting, unless it is
 * the one that the call's open idempotency key was claimed with.
 */
export async function confirmationOf(
  { caller, call, operation, input, service }: CheckedCall,
  reader: Pick<Reader, 'get'>,
  usedByKey?: string,
): Promise<StoredPlan> {
  const [id = '', secret = ''] = (call.confirmation ?? '').split('.')
  const plan = /^[\w-]{1,64}$/.test(id) ? await getRecord(reader, Plan, id) : undefined
  if (!plan || plan.UserID !== caller.userId || plan.KeyID !== caller.keyId || !sameDigest(plan.Digest, digestOf(secret)))
    throw notConfirmed('not_found', `There is no plan of yours with the token ${quote(call.confirmation ?? '')}.`)
  if (plan.Fingerprint !== fingerprintOf(operation, input)) throw notConfirmed('conflict', 'This token confirms another operation or input.')
  if (plan.PlanID !== usedByKey) checkWaiting(plan, service.now().toISOString())
  return plan
}

/** Refuses a confirmation that is decided already, or has expired. */
export function checkWaiting(plan: StoredPlan, now: string): void {
  if (plan.State !== 'waiting') throw notConfirmed('conflict', plan.State === 'done' ? 'This plan was already executed.' : 'This plan was refused.')
  if (plan.ExpiresDate <= now) throw notConfirmed('conflict', `This plan expired at ${plan.ExpiresDate}.`)
}

function notConfirmed(code: 'conflict' | 'not_found', message: string): CrmError {
  return new CrmError(code, message, {
    errors: [{ field: 'ConfirmationToken', code, message }],
    hint: 'Repeat the call without a token to get a new one.',
  })
}

/** Ties a write to its confirmation: used in the transaction of the write, or before it where the platform is not the store. */
export function withConfirmation(
  { caller, binding }: Pick<Context, 'caller' | 'binding'>,
  prepared: Prepared,
  planId: string,
  find: (writer: StoreWriter) => Promise<StoredPlan>,
): Prepared {
  const use = async (writer: StoreWriter) => {
    const plan = await find(writer)
    const decision = { State: 'done', DecidedBy: caller.userId, ...nextRevision(plan, writer.now()) }
    await writer.update(Plan.name, plan.PlanID, decision)
    return { plan, revision: decision.Revision }
  }
  const platform = binding.platformFor(prepared.on)
  if (binding.isStoreFor(prepared.on)) {
    return {
      ...prepared,
      async work(writer) {
        const written = await prepared.work(writer)
        checkUnchanged(platform, (await use(writer)).plan, written.change && revisionOf(written.change))
        return written
      },
    }
  }
  let used: Awaited<ReturnType<typeof use>> | undefined
  return {
    on: prepared.on,
    confirmation: {
      planId,
      async use(writer) {
        used = await use(writer)
      },
      async release(writer) {
        const plan = await getRecord(writer, Plan, planId)
        // The use may not have been committed, and another call may have used the confirmation since.
        if (plan?.State !== 'done' || plan.Revision !== used?.revision) return
        await writer.update(Plan.name, planId, { State: 'waiting', DecidedBy: null, ...nextRevision(plan, writer.now()) })
      },
    },
    async work(writer) {
      const record = used && (await writer.get(used.plan.RecordType, used.plan.RecordID))
      if (used && record && used.plan.RecordRevision !== null) checkUnchanged(platform, used.plan, record.Revision as number | undefined)
      return prepared.work(writer)
    },
  }
}

function checkUnchanged(platform: Platform, plan: StoredPlan, revision: number | null | undefined): void {
  if (isSameRevision(platform, revision ?? null, plan.RecordRevision)) return
  throw notConfirmed('conflict', `The ${plan.RecordType} has changed since this was planned: it has Revision ${revision}, not ${plan.RecordRevision}.`)
}

/** The change of a plan as the audit shows it: without images of the record, which may have to be erased one day. */
export function planChange(kind: 'planned' | 'refused', before: StoredRecord | null, after: StoredRecord): RecordChange {
  const withoutImages = ({ Input: _input, Preview: _preview, ...rest }: StoredRecord): StoredRecord => rest
  return changeTo(Plan, kind, before && withoutImages(before), withoutImages(after))
}

/** Removes every image of a record from the plans about it. */
export async function erasePreviews(writer: StoreWriter, recordId: string): Promise<void> {
  const plans = await findRecords(writer, Plan, {
    where: [{ field: 'RecordID', family: 'text', operator: 'eq', value: recordId }],
    order: { field: Plan.createdField, descending: true },
    limit: Number.MAX_SAFE_INTEGER,
  })
  for (const { PlanID } of plans) await writer.update(Plan.name, PlanID, { Input: {}, Preview: {} })
}

/** The confirmation that the same caller's same call waits for already. */
async function findWaiting(writer: StoreWriter, members: Pick<StoredPlan, 'RecordID' | 'UserID' | 'KeyID' | 'Fingerprint'>): Promise<StoredPlan | undefined> {
  const plans = await findRecords(writer, Plan, {
    where: (['RecordID', 'UserID', 'KeyID', 'Fingerprint'] as const).map((field) => ({ field, family: 'text', operator: 'eq', value: members[field] })),
    order: { field: Plan.createdField, descending: true },
    limit: DELETED_AT_ONCE,
  })
  return plans.find(({ State }) => State === 'waiting')
}

async function deleteExpired(writer: StoreWriter, before: string): Promise<void> {
  const plans = await findRecords(writer, Plan, {
    where: [{ field: 'ExpiresDate', family: 'timestamp', operator: 'lt', value: before }],
    order: { field: 'ExpiresDate', descending: false },
    limit: DELETED_AT_ONCE,
  })
  for (const { PlanID } of plans) await writer.delete(Plan.name, PlanID)
}

const revisionOf = ({ before }: RecordChange) => (before?.Revision ?? null) as number | null
