import { CrmError } from '../../contract/errors.ts'
import { Key } from '../../contract/records/key.ts'
import { Plan } from '../../contract/records/plan.ts'
import { User } from '../../contract/records/user.ts'
import type { Reader, StoredRecord } from '../../platforms/platform.ts'
import { keyCaller, localAdmin } from '../access/authenticate.ts'
import { getRecord, nextRevision, type RecordOf } from '../call/records.ts'
import type { CheckedCall, Context, MakeReady, Prepared } from '../call/types.ts'
import { checkWaiting, planChange, withConfirmation } from '../journal/confirmations.ts'
import { findEntry, openStateOf } from '../journal/idempotency.ts'
import type { Caller } from '../service.ts'
import { visible } from './context.ts'

/** Executes the call that waits for this confirmation, with the present rights of the caller who sent it. */
export async function allowPlan(checked: CheckedCall, makeReady: MakeReady): Promise<Prepared> {
  const { service, caller, binding } = checked
  const { number } = caller.workspace
  if (caller.confirms) throw new CrmError('forbidden', 'This key has to confirm its own deletes, and cannot allow those of others.')
  const usedByKey = openStateOf(await findEntry(checked, service.store.journal(number)))?.planId
  const plan = await waitingPlan(checked, service.store.reader(number), usedByKey)
  const call = { operation: plan.Operation, input: plan.Input, caller: await callerOfPlan(checked, plan) }
  const { prepared } = (await makeReady(service, call, binding, { allowed: true })) as { prepared: Prepared }
  const confirmed = withConfirmation(checked, prepared, plan.PlanID, (writer) => waitingPlan(checked, writer))
  return {
    ...confirmed,
    async work(writer) {
      const { answer, change } = await confirmed.work(writer)
      return { answer: { PlanID: plan.PlanID, State: 'done', Result: answer }, ...(change && { change }) }
    },
  }
}

/** The plan that the input names. One that the call's own open key has used still counts as waiting. */
async function waitingPlan(context: Context, reader: Reader, usedByKey?: string): Promise<RecordOf<typeof Plan>> {
  const plan = await visible(reader, context, Plan)
  if (plan.PlanID !== usedByKey) checkWaiting(plan, context.service.now().toISOString())
  return plan
}

async function callerOfPlan({ service, caller: { workspace } }: Context, { KeyID, UserID }: RecordOf<typeof Plan>): Promise<Caller> {
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
