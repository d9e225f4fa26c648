import { randomBytes } from 'node:crypto'
import { CrmError } from '../../contract/errors.ts'
import { takesAway } from '../../contract/operation.ts'
import { quote } from '../../contract/operations.ts'
import { Plan, type WaitingPlan } from '../../contract/records/plan.ts'
import type { Reader, StoredRecord } from '../../platforms/platform.ts'
import type { StoreWriter } from '../../platforms/store.ts'
import { digestOf, sameDigest } from '../access/keys.ts'
import { dryRunWithChange } from '../call/dry-run.ts'
import { newRecord, nextRevision } from '../call/records.ts'
import { home, type Prepared } from '../verbs/context.ts'
import { byOf, happened, lineOf, type RecordChange } from './changes.ts'
import { idempotencyKeyOf } from './idempotency.ts'
import type { Prepare, Write } from './journal.ts'

/** How long a plan can be confirmed, and how long it can be looked at afterwards. */
const CONFIRMED_WITHIN_MS = 15 * 60_000
const KEPT_MS = 24 * 3_600_000
/** Old plans let go when a new one is made. */
const LET_GO = 100

/** Whether a write is one of those that the key or the door wants confirmed. */
export function mustConfirm({ caller, call, operation }: Write): boolean {
  const wanted = caller.confirms || call.confirm === true
  return wanted && !call.dryRun && takesAway(operation)
}

/** Plans a write in the place of carrying it out, and resolves to the refusal that says so; to nothing where it would take nothing away. */
export async function plan(write: Write, prepare: Prepare): Promise<CrmError | undefined> {
  const { service, caller, operation, call } = write
  const { outcome, change } = await dryRunWithChange(write, await prepare(write))
  if (!change || (operation.effect !== 'delete' && change.after !== null)) return undefined
  const secret = randomBytes(32).toString('base64url')
  const facts = {
    UserID: caller.userId,
    KeyID: caller.keyId,
    Operation: operation.id,
    RecordType: change.record.name,
    RecordID: change.id,
    ExpiresDate: new Date(service.now().getTime() + CONFIRMED_WITHIN_MS).toISOString(),
    Input: write.input,
    Preview: outcome.result,
    Digest: digestOf(secret),
    Fingerprint: fingerprintOf(write),
    RecordRevision: revisionOf(change),
  }
  const planned = await service.store.write(caller.workspace.number, async (writer) => {
    await letGo(writer, new Date(service.now().getTime() - KEPT_MS).toISOString())
    const again = await sameAsBefore(writer, facts)
    if (again) {
      // Who asks again gets another token, and the one before is worth nothing.
      await writer.update(Plan.name, again.PlanID as string, { ...(facts as unknown as StoredRecord), ...nextRevision(again, writer.now()) })
      return { ...again, ...facts }
    }
    const record = newRecord(Plan, writer.newId(), facts)
    await writer.create(Plan.name, record)
    await writer.appendAuditLine(lineOf(happenedTo('planned', null, record), byOf(call, operation, call.idempotencyKey ?? null)))
    return record
  })
  const { PlanID, Operation, RecordType, RecordID, ExpiresDate, Preview } = planned as unknown as WaitingPlan
  return new CrmError('conflict', `${operation.name} has to be confirmed, and nothing was changed yet.`, {
    hint: `Look at the plan, then send the same call again with its token as Confirmation-Token, before ${ExpiresDate}.`,
    plan: { PlanID, Token: `${PlanID}.${secret}`, Operation, RecordType, RecordID, ExpiresDate, Preview },
  })
}

/** The plan that a call confirms. Refuses unless it is this caller's, of this very call, and still waits. */
export async function planOf(write: Write, reader: Pick<Reader, 'get'>): Promise<StoredRecord> {
  const { caller, call } = write
  const [id = '', secret = ''] = (call.confirmation ?? '').split('.')
  const found = /^[\w-]{1,64}$/.test(id) ? await reader.get(Plan.name, id) : undefined
  const known = found && found.UserID === caller.userId && found.KeyID === caller.keyId && sameDigest(found.Digest as string, digestOf(secret))
  if (!known) throw notConfirmed('not_found', `There is no plan of yours with the token ${quote(call.confirmation ?? '')}.`)
  if (found.Fingerprint !== fingerprintOf(write)) throw notConfirmed('conflict', 'This token confirms another operation or input.')
  checkWaiting(found, write.service.now().toISOString())
  return found
}

/** Refuses to decide on what has been decided, or is too old. */
export function checkWaiting(plan: StoredRecord, now: string): void {
  if (plan.State !== 'waiting') throw notConfirmed('conflict', plan.State === 'done' ? 'This plan was carried out already.' : 'This plan was refused.')
  if ((plan.ExpiresDate as string) <= now) throw notConfirmed('conflict', `This plan expired at ${plan.ExpiresDate}.`)
}

function notConfirmed(code: 'conflict' | 'not_found', message: string): CrmError {
  return new CrmError(code, message, {
    errors: [{ field: 'ConfirmationToken', code, message }],
    hint: 'Send the call without a token to have it planned anew.',
  })
}

/** A write that is carried out together with the decision on its plan: in one transaction, or the decision first where the platform is elsewhere. */
export function decided(context: Pick<Write, 'service' | 'caller'>, prepared: Prepared, find: (writer: StoreWriter) => Promise<StoredRecord>): Prepared {
  const { service, caller } = context
  const decide = async (writer: StoreWriter) => {
    const plan = await find(writer)
    await writer.update(Plan.name, plan.PlanID as string, { State: 'done', DecidedBy: caller.userId, ...nextRevision(plan, writer.now()) })
    return plan
  }
  if (home(context, prepared.on) === service.store) {
    return {
      on: prepared.on,
      async work(writer) {
        const written = await prepared.work(writer)
        checkUnchanged(await decide(writer), written.change && revisionOf(written.change))
        return written
      },
    }
  }
  let plan: StoredRecord | undefined
  return {
    on: prepared.on,
    async claim(writer) {
      plan = await decide(writer)
    },
    async unclaim(writer) {
      const undecided = plan && (await writer.get(Plan.name, plan.PlanID as string))
      if (undecided) await writer.update(Plan.name, undecided.PlanID as string, { State: 'waiting', DecidedBy: null, ...nextRevision(undecided, writer.now()) })
    },
    async work(writer) {
      const record = plan && (await writer.get(plan.RecordType as string, plan.RecordID as string))
      if (plan && record && plan.RecordRevision !== null) checkUnchanged(plan, record.Revision as number | undefined)
      return prepared.work(writer)
    },
  }
}

function checkUnchanged(plan: StoredRecord, revision: number | null | undefined): void {
  if ((revision ?? null) === plan.RecordRevision) return
  throw notConfirmed('conflict', `The ${plan.RecordType} has changed since this was planned: it has Revision ${revision}, not ${plan.RecordRevision}.`)
}

/** What is told of a plan elsewhere has no image of the record, which may have to be erased one day. */
export function happenedTo(happening: 'planned' | 'refused', before: StoredRecord | null, after: StoredRecord): RecordChange {
  const without = ({ Input: _input, Preview: _preview, ...rest }: StoredRecord): StoredRecord => rest
  return happened(Plan, happening, before && without(before), without(after))
}

/** Removes every image of a record from the plans about it. */
export async function blankPlans(writer: StoreWriter, recordId: string): Promise<void> {
  const { records } = await writer.find(Plan.name, {
    where: [{ field: 'RecordID', family: 'text', operator: 'eq', value: recordId }],
    order: { field: Plan.createdField, descending: true },
    limit: Number.MAX_SAFE_INTEGER,
    fields: [],
  })
  for (const { PlanID } of records) await writer.update(Plan.name, PlanID as string, { Input: {}, Preview: {} })
}

async function sameAsBefore(writer: StoreWriter, facts: { readonly UserID: string; readonly KeyID: string | null; RecordID: string; Fingerprint: string }) {
  const { records } = await writer.find(Plan.name, {
    where: (['RecordID', 'UserID', 'KeyID', 'Fingerprint'] as const).map((field) => ({ field, family: 'text', operator: 'eq', value: facts[field] })),
    order: { field: Plan.createdField, descending: true },
    limit: LET_GO,
  })
  return records.find(({ State }) => State === 'waiting')
}

async function letGo(writer: StoreWriter, before: string): Promise<void> {
  const { records } = await writer.find(Plan.name, {
    where: [{ field: 'ExpiresDate', family: 'timestamp', operator: 'lt', value: before }],
    order: { field: 'ExpiresDate', descending: false },
    limit: LET_GO,
    fields: [],
  })
  for (const { PlanID } of records) await writer.delete(Plan.name, PlanID as string)
}

const fingerprintOf = ({ operation, input }: Write) => idempotencyKeyOf(operation, input, '').fingerprint
const revisionOf = ({ before }: RecordChange) => (before?.Revision ?? null) as number | null
