import { BATCH } from '../../contract/batch.ts'
import { CrmError } from '../../contract/errors.ts'
import { Key } from '../../contract/records/key.ts'
import { Plan } from '../../contract/records/plan.ts'
import { User } from '../../contract/records/user.ts'
import type { Reader, StoredRecord } from '../../platforms/platform.ts'
import { keyCaller, localAdmin } from '../access/authenticate.ts'
import { getRecord, nextRevision } from '../call/records.ts'
import type { CheckedCall, Context, MakeReady, Prepared } from '../call/types.ts'
import { checkWaiting, NO_TOKEN, planChange, type StoredPlan, withConfirmation } from '../journal/confirmations.ts'
import { findEntry, openStateOf } from '../journal/idempotency.ts'
import type { Caller } from '../service.ts'
import { prepareBatch } from './allow-batch.ts'
import { visible } from './context.ts'

/** Executes the call that waits for this confirmation, with the present rights of the caller who sent it. */
export async function allowPlan(checked: CheckedCall, makeReady: MakeReady): Promise<Prepared> {
  const { service, caller } = checked
  const { number } = caller.workspace
  if (caller.confirms) throw new CrmError('forbidden', 'This key has to confirm its own deletes, and cannot allow any: a person has to, with another key.')
  const usedByKey = openStateOf(await findEntry(checked, service.store.journal(number)))?.planId
  const plan = await waitingPlan(checked, service.store.reader(number), usedByKey)
  if (plan.Digest === NO_TOKEN && plan.KeyID === caller.keyId && (caller.keyId !== null || checked.call.transport === 'mcp'))
    throw new CrmError('forbidden', 'This plan was made with the same key: a person has to allow it with another.', {
      hint: 'Sign in to the console as an admin, for example.',
    })
  const confirmed = withConfirmation(checked, await preparePlan(checked, plan, makeReady), plan, (writer) => waitingPlan(checked, writer))
  const { parts } = confirmed
  const allowed = (Result: object) => ({ PlanID: plan.PlanID, State: 'done', Result })
  return {
    ...confirmed,
    ...(parts && { parts: { ...parts, answer: (ends) => allowed(parts.answer(ends)) } }),
    async work(writer) {
      const written = await confirmed.work(writer)
      return { ...written, answer: allowed(written.answer) }
    },
  }
}

async function preparePlan(checked: CheckedCall, plan: StoredPlan, makeReady: MakeReady): Promise<Prepared> {
  const caller = await callerOfPlan(checked, plan)
  if (plan.Operation === BATCH.id) return prepareBatch(checked, plan, caller, makeReady)
  const call = { operation: plan.Operation, input: plan.Input, caller }
  return (await makeReady(checked.service, call, checked.binding, { allowed: true })).prepared as Prepared
}

/** The plan that the input names. One that the call's own open key has used still counts as waiting. */
async function waitingPlan(context: Context, reader: Reader, usedByKey?: string): Promise<StoredPlan> {
  const plan = await visible(reader, context, Plan)
  if (plan.PlanID !== usedByKey) checkWaiting(plan, context.service.now().toISOString())
  return plan
}

async function callerOfPlan({ service, caller: { workspace } }: Context, { KeyID, UserID }: StoredPlan): Promise<Caller> {
  if (KeyID === null) return localAdmin(service, workspace.name)
  const reader = service.store.reader(workspace.number)
  const [key, user] = [await getRecord(reader, Key, KeyID), await getRecord(reader, User, UserID)]
  if (!key || !user) throw new CrmError('conflict', 'The key or user that sent this call is gone.')
  try {
    return await keyCaller(service, workspace, key, user)
  } catch (error) {
    throw new CrmError('conflict', `The key that sent this call may no longer be used: ${(error as Error).message}`, { cause: error })
  }
}

export function refusePlan(context: Context): Prepared {
  return {
    on: Plan,
    async work(writer) {
      const plan = await waitingPlan(context, writer)
      const changes = { State: 'refused', DecidedBy: context.caller.userId, ...nextRevision(plan, writer.now()) }
      await writer.update(Plan.name, plan.PlanID, changes)
      return { answer: { PlanID: plan.PlanID, State: 'refused' }, change: planChange('refused', plan, { ...(plan as StoredRecord), ...changes }) }
    },
  }
}
