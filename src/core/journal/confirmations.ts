import { randomBytes } from 'node:crypto'
import { BATCH } from '../../contract/batch.ts'
import { CrmError } from '../../contract/errors.ts'
import { isDestructive, type Operation, overwrites } from '../../contract/operation.ts'
import { operationNamed, quote } from '../../contract/operations.ts'
import { lossLines } from '../../contract/plan-loss.ts'
import { type Confirm, Plan, strictest } from '../../contract/records/plan.ts'
import type { WaitingPlan } from '../../contract/waiting-plan.ts'
import type { Platform, Reader, StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { digestOf, sameDigest } from '../access/keys.ts'
import { type DryRun, dryRunWriter } from '../call/dry-run.ts'
import { attachedTo, type Counts } from '../call/loss.ts'
import { optionName } from '../call/option-name.ts'
import { findRecords, getRecord, newRecord, nextRevision, type RecordOf } from '../call/records.ts'
import type { CheckedCall, Context, Input, Prepared } from '../call/types.ts'
import type { Call, Lost, PlannedRecord, Service, Shown } from '../service.ts'
import { isSameRevision } from '../verbs/context.ts'
import { byOf, changeTo, lineOf, type RecordChange } from './changes.ts'
import { stable } from './idempotency.ts'

export type StoredPlan = RecordOf<typeof Plan>

/** How long a confirmation can be given, and how long it stays readable afterwards. */
export const CONFIRMED_WITHIN_MS = 15 * 60_000
const KEPT_MS = 24 * 3_600_000
/** Expired confirmations that are deleted whenever a new one is requested. */
const DELETED_AT_ONCE = 100

/** In the place of a token's digest where none exists: only `allow_plan` executes such a plan. */
export const NO_TOKEN = ''

/** How this write has to be confirmed: the strictest that its operation, its key or its transport requires. */
export function neededConfirmation({ caller, confirm }: Call, operation: Operation): Confirm | null {
  const isCovered = isDestructive(operation) || (confirm === 'updates' && overwrites(operation))
  const required = isCovered ? strictest(caller.confirms, confirm === true || confirm === 'updates' ? 'deletes' : confirm || null) : null
  return required ?? (operation.confirmed ? 'deletes' : null)
}

/** The changes that a person decides on, in the order in which they are made: of the undo of a batch all of them. */
export const changesOf = ({ verb }: Pick<Operation, 'verb'>, { change, also }: DryRun): readonly RecordChange[] =>
  change === undefined ? [] : verb === 'undoChange' ? [...also, change] : [change]

/** Whether a write takes something away: whatever deletes, and an undo after which a record is gone. */
export function takesAway({ effect }: Operation, { change, also }: DryRun): boolean {
  return change !== undefined && (effect === 'delete' || [change, ...also].some(({ after }) => after === null))
}

/** Whether a write, or its undo, overwrites values of a record, where that has to be confirmed. */
export function overwritesRecord({ call, operation }: Pick<CheckedCall, 'call' | 'operation'>, { change }: DryRun): boolean {
  const isCovered = call.confirm === 'updates' && (overwrites(operation) || operation.verb === 'undoChange')
  return isCovered && change !== undefined && change.before !== null && change.after !== null
}

/** What waits to be confirmed: a call, or a batch of them. */
export interface Waiting {
  readonly operation: Pick<Operation, 'id' | 'name'>
  readonly input: Input
  readonly fingerprint: string
  /** The record that it takes away or overwrites; of a batch the first. */
  readonly record: PlannedRecord
  readonly preview: WaitingPlan['Preview']
}

/** Stores a confirmation to wait for, and resolves to the refusal that carries its token, if it has one. */
export async function requestConfirmation(
  service: Service,
  call: Call,
  needed: Confirm,
  { operation, input, fingerprint, record, preview }: Waiting,
): Promise<CrmError> {
  const { caller } = call
  const secret = needed === 'person' ? undefined : randomBytes(32).toString('base64url')
  const members = {
    UserID: caller.userId,
    KeyID: caller.keyId,
    Operation: operation.id,
    ...record,
    ExpiresDate: new Date(service.now().getTime() + CONFIRMED_WITHIN_MS).toISOString(),
    Input: input,
    DecidedBy: null,
    Preview: preview,
    Digest: secret === undefined ? NO_TOKEN : digestOf(secret),
    Fingerprint: fingerprint,
  }
  const PlanID = await service.store.write(caller.workspace.number, async (writer) => {
    await deleteExpired(writer, new Date(service.now().getTime() - KEPT_MS).toISOString())
    const plans = await plansOf(writer, members)
    if (needed === 'person') refuseRefused(plans, writer.now())
    const now = service.now().toISOString()
    const waiting = plans.find(({ State, ExpiresDate }) => State === 'waiting' && ExpiresDate > now)
    // Only the newest token is valid.
    const isSame = waiting !== undefined && shownIn(waiting) === shownIn(members)
    const changes = isSame ? (members as unknown as StoredRecord) : { ExpiresDate: now }
    if (waiting) await writer.update(Plan.name, waiting.PlanID, { ...changes, ...nextRevision(waiting, writer.now()) })
    if (isSame) return waiting.PlanID
    const plan = newRecord(Plan, writer.newId(), members) as StoredPlan
    await writer.create(Plan.name, plan)
    await writer.appendAuditLine(lineOf(planChange('planned', null, plan), byOf(call, operation, call.idempotencyKey ?? null)))
    return plan.PlanID
  })
  const { Operation, RecordType, RecordID, ExpiresDate, Preview } = members
  const plan = { PlanID, ...(secret !== undefined && { Token: `${PlanID}.${secret}` }), Operation, RecordType, RecordID, ExpiresDate, Preview }
  if (needed === 'person')
    return new CrmError('conflict', `${operation.name} has to be allowed by a person, and nothing was changed yet.`, {
      hint: `An admin allows or refuses the plan ${PlanID} before ${ExpiresDate}: under Approvals in the console, or with allow_plan and another key. The same call again shows what became of it.`,
      plan,
    })
  return new CrmError('conflict', `${operation.name} has to be confirmed, and nothing was changed yet.`, {
    hint: `Check the plan, then repeat the call with its token as ${optionName('ConfirmationToken', call)}, before ${ExpiresDate}.`,
    plan,
  })
}

/** What the person who decides on a plan has seen of it: one that shows anything else is another plan. What is written has the time of the dry run. */
function shownIn({ RecordRevision, Preview, Input }: Pick<StoredPlan, 'RecordRevision' | 'Preview' | 'Input'>): string {
  const { WouldWrite, ...rest } = Preview as { readonly WouldWrite?: unknown }
  return stable([RecordRevision, Input, rest, emptiedBy(WouldWrite)])
}

/** While a plan could still have been allowed, its refusal stands: otherwise a caller could ask until a person gives in. */
function refuseRefused([latest]: readonly StoredPlan[], now: string): void {
  if (latest?.State === 'refused' && latest.ExpiresDate > now)
    throw new CrmError('forbidden', `A person has refused this: the plan ${latest.PlanID}.`, {
      hint: `Do not call again unless they ask for it; from ${latest.ExpiresDate} on it can be requested anew.`,
    })
}

/** The plan with which a person has allowed this very call already. */
export async function executedPlan(
  service: Service,
  { caller }: Call,
  waited: Pick<StoredPlan, 'Fingerprint'> & { RecordID?: string },
): Promise<StoredPlan | undefined> {
  const reader = service.store.reader(caller.workspace.number)
  const [latest] = await plansOf(reader, { ...waited, UserID: caller.userId, KeyID: caller.keyId })
  return latest?.State === 'done' && latest.Digest === NO_TOKEN ? latest : undefined
}

/** The confirmation that a call's token stands for. Refuses a token of another caller or call. */
export async function planOfToken({ caller, confirmation = '' }: Call, fingerprint: string, reader: Pick<Reader, 'get'>): Promise<StoredPlan> {
  const [id = '', secret = ''] = confirmation.split('.')
  const plan = /^[\w-]{1,64}$/.test(id) ? await getRecord(reader, Plan, id) : undefined
  if (!plan || plan.UserID !== caller.userId || plan.KeyID !== caller.keyId || !sameDigest(plan.Digest, digestOf(secret)))
    throw notConfirmed('not_found', `There is no plan of yours with the token ${quote(confirmation)}.`)
  if (plan.Fingerprint !== fingerprint) throw notConfirmed('conflict', 'This token confirms another operation or input.')
  return plan
}

/** The same. Refuses one that is no longer waiting too, unless it is the one that the call's open idempotency key was claimed with. */
export async function confirmationOf(service: Service, call: Call, fingerprint: string, reader: Pick<Reader, 'get'>, usedByKey?: string): Promise<StoredPlan> {
  const plan = await planOfToken(call, fingerprint, reader)
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

/** Marks a confirmation as used, and resolves to the Revision that it has then. */
export async function usePlan(writer: StoreWriter, plan: StoredPlan, userId: string): Promise<number> {
  const decision = { State: 'done', DecidedBy: userId, ...nextRevision(plan, writer.now()) }
  await writer.update(Plan.name, plan.PlanID, decision)
  return decision.Revision
}

/** Makes a confirmation usable again. Its use may not have been committed, and another call may have used it since. */
export async function releasePlan(writer: StoreWriter, planId: string, usedRevision: number | undefined): Promise<void> {
  const plan = await getRecord(writer, Plan, planId)
  if (plan?.State !== 'done' || plan.Revision !== usedRevision) return
  await writer.update(Plan.name, planId, { State: 'waiting', DecidedBy: null, ...nextRevision(plan, writer.now()) })
}

/** Ties a write to its confirmation: used in the transaction of the write, or before it where the platform is not the store. */
export function withConfirmation(
  context: Pick<Context, 'caller' | 'binding'>,
  prepared: Prepared,
  plan: StoredPlan,
  find: (writer: StoreWriter) => Promise<StoredPlan>,
): Prepared {
  let revision: number | undefined
  const use = async (writer: StoreWriter) => {
    revision = await usePlan(writer, await find(writer), context.caller.userId)
  }
  const tied: Prepared = context.binding.isStoreFor(prepared.on)
    ? {
        ...prepared,
        async work(writer) {
          const written = await prepared.work(writer)
          await use(writer)
          return written
        },
      }
    : { ...prepared, confirmation: { planId: plan.PlanID, use, release: (writer) => releasePlan(writer, plan.PlanID, revision) } }
  // Each call of a batch is about a record of its own. A retry on a CRM uses no confirmation: what it finds may be what its earlier attempt has left.
  return plan.Operation === BATCH.id ? tied : ifAsShown(context, tied, shownBy(plan), () => revision !== undefined)
}

/**
 * A write that is refused where the record is no longer as it was planned, or where more would be lost with it than was shown: in a store its transaction is
 * rolled back, a CRM is asked before.
 */
export function ifAsShown({ binding }: Pick<Context, 'binding'>, prepared: Prepared, { record, lost }: Shown, isChecked = () => true): Prepared {
  const platform = binding.platformFor(prepared.on)
  const removed = (writer: StoreWriter) => (record && lost ? attachedTo(writer, record.RecordType, record.RecordID) : {})
  return {
    ...prepared,
    async work(writer) {
      if (binding.isStoreFor(prepared.on)) {
        const Removed = await removed(writer)
        const written = await prepared.work(writer)
        checkUnchanged(platform, record, written.change && revisionOf(written.change))
        if (lost) refuseMore(lost, { Removed, Emptied: emptiedBy(written.answer) })
        return written
      }
      const isTold = record && isChecked() && (lost || record.RecordRevision !== null)
      const found = isTold ? await writer.get(record.RecordType, record.RecordID) : undefined
      if (found) checkUnchanged(platform, record, found.Revision as number | undefined)
      if (found && lost) {
        const { answer } = await prepared.work(dryRunWriter(writer, writer.now(), new Map()))
        refuseMore(lost, { Removed: await removed(writer), Emptied: emptiedBy(answer) })
      }
      return prepared.work(writer)
    },
  }
}

function checkUnchanged(platform: Platform, planned: PlannedRecord | undefined, revision: number | null | undefined): void {
  if (!planned || planned.RecordRevision === null || isSameRevision(platform, revision ?? null, planned.RecordRevision)) return
  const { RecordType, RecordRevision } = planned
  throw notConfirmed('conflict', `The ${RecordType} has changed since this was planned: it has Revision ${revision}, not ${RecordRevision}.`)
}

function refuseMore(shown: Lost, now: Lost): void {
  const isMore = (was: Counts, is: Counts) => Object.entries(is).some(([name, count]) => count > (was[name] ?? 0))
  if (!isMore(shown.Removed, now.Removed) && !isMore(shown.Emptied, now.Emptied)) return
  const lines = lossLines({ Operation: '', Preview: { Removed: now.Removed, WouldWrite: { Emptied: now.Emptied } } })
  throw notConfirmed('conflict', `More would be lost than was shown when this was planned. ${lines.join(' ')}`)
}

/** What was shown of what a call loses beside its record, where it deletes one. An undo is refused itself once more hangs on the record. */
export function lostBy({ verb }: Pick<Operation, 'verb'>, Removed: Counts, wouldWrite: unknown): Lost | undefined {
  return verb === 'delete' || verb === 'eraseRecord' ? { Removed, Emptied: emptiedBy(wouldWrite) } : undefined
}

const emptiedBy = (answer: unknown) => (Object(answer).Emptied ?? {}) as Counts

function shownBy(plan: StoredPlan): Shown {
  const { Removed = {}, WouldWrite } = plan.Preview as { readonly Removed?: Counts; readonly WouldWrite?: object }
  const operation = operationNamed(plan.Operation)
  return { record: plan, lost: operation && lostBy(operation, Removed, WouldWrite) }
}

/** The change of a plan as the audit shows it: without images of the record, which may have to be erased one day. */
export function planChange(kind: 'planned' | 'refused', before: StoredRecord | null, after: StoredRecord): RecordChange {
  const withoutImages = ({ Input: _input, Preview: _preview, ...rest }: StoredRecord): StoredRecord => rest
  return changeTo(Plan, kind, before && withoutImages(before), withoutImages(after))
}

/** Removes every image of a record from the plans about it. */
export async function erasePreviews(writer: StoreWriter, type: string, recordId: string): Promise<void> {
  const plans = await findRecords(writer, Plan, {
    where: [
      { field: 'RecordID', family: 'text', operator: 'eq', value: recordId },
      { field: 'RecordType', family: 'text', operator: 'eq', value: type },
    ],
    order: { field: Plan.createdField, descending: true },
    limit: Number.MAX_SAFE_INTEGER,
  })
  for (const { PlanID } of [...plans, ...(await batchesWith(writer, recordId))]) await writer.update(Plan.name, PlanID, { Input: {}, Preview: {} })
}

/** Batches are large, so few of them are held in memory at once. */
const BATCHES = 10

/** The plans of batches that mention a record. */
async function batchesWith(reader: Pick<Reader, 'find'>, recordId: string): Promise<Pick<StoredPlan, 'PlanID'>[]> {
  const found: Pick<StoredPlan, 'PlanID'>[] = []
  let last: string | undefined
  for (;;) {
    const plans = await findRecords(reader, Plan, {
      where: [{ field: 'Operation', family: 'text', operator: 'eq', value: BATCH.id }],
      order: { field: Plan.id, descending: true },
      limit: BATCHES,
      ...(last !== undefined && { after: { value: last, id: last } }),
    })
    found.push(...plans.filter((plan) => JSON.stringify([plan.Input, plan.Preview]).includes(JSON.stringify(recordId))).map(({ PlanID }) => ({ PlanID })))
    last = plans.at(-1)?.PlanID
    if (plans.length < BATCHES) return found
  }
}

/** The confirmations that the same caller's same call has waited for, the latest first. */
function plansOf(
  reader: Pick<Reader, 'find'>,
  members: Pick<StoredPlan, 'UserID' | 'KeyID' | 'Fingerprint'> & { readonly RecordID?: string },
): Promise<readonly StoredPlan[]> {
  const fields = (['RecordID', 'UserID', 'KeyID', 'Fingerprint'] as const).filter((field) => members[field] !== undefined)
  return findRecords(reader, Plan, {
    where: fields.map((field) => ({ field, family: 'text', operator: 'eq', value: members[field] ?? null })),
    order: { field: Plan.createdField, descending: true },
    limit: DELETED_AT_ONCE,
  })
}

async function deleteExpired(writer: StoreWriter, before: string): Promise<void> {
  const plans = await findRecords(writer, Plan, {
    where: [{ field: 'ExpiresDate', family: 'timestamp', operator: 'lt', value: before }],
    order: { field: 'ExpiresDate', descending: false },
    limit: DELETED_AT_ONCE,
  })
  for (const { PlanID } of plans) await writer.delete(Plan.name, PlanID)
}

/** The record that a change takes away, as it was before. */
export const plannedRecord = (change: RecordChange): PlannedRecord => ({
  RecordType: change.record.name,
  RecordID: change.id,
  RecordRevision: revisionOf(change),
})

const revisionOf = ({ before }: RecordChange) => (before?.Revision ?? null) as number | null
