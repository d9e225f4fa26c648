import { CrmError } from '../../contract/errors.ts'
import type { Operation } from '../../contract/operation.ts'
import { findOperation } from '../../contract/operations.ts'
import { Key } from '../../contract/records/key.ts'
import { Plan } from '../../contract/records/plan.ts'
import { User } from '../../contract/records/user.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { allow } from '../access/access.ts'
import { keyCaller, localAdmin } from '../access/authenticate.ts'
import { check, type Input } from '../call/check.ts'
import { operationOn } from '../call/extension.ts'
import { nextRevision } from '../call/records.ts'
import { checkWaiting, decided, happenedTo } from '../journal/confirmations.ts'
import type { Prepare } from '../journal/journal.ts'
import { type Caller, platformOf } from '../service.ts'
import { type Context, type Prepared, visible } from './context.ts'

/** Carries out what somebody else has planned, as them. */
export async function allowPlan(context: Context, prepareOf: (operation: Operation) => Prepare): Promise<Prepared> {
  const { service, caller, input } = context
  if (caller.confirms) throw new CrmError('forbidden', 'This key has to confirm its own deletes, and cannot allow those of others.')
  const plan = await visible(service.store.reader(caller.workspace.number), caller, Plan, input.PlanID as string)
  checkWaiting(plan, service.now().toISOString())
  const asker = await askerOf(context, plan)
  const operation = operationOn(platformOf(service, asker.workspace), findOperation(plan.Operation as string))
  allow(asker, operation)
  const checked = await check(service, asker, operation, plan.Input as unknown as Input)
  const prepared = await prepareOf(operation)({ service, caller: asker, operation, ...checked })
  const together = decided(context, prepared, async (writer) => {
    const still = await visible(writer, caller, Plan, input.PlanID as string)
    checkWaiting(still, service.now().toISOString())
    return still
  })
  return {
    ...together,
    async work(writer) {
      const { answer, change } = await together.work(writer)
      return { answer: { PlanID: plan.PlanID, State: 'done', Result: answer }, ...(change && { change }) }
    },
  }
}

/** Whoever asked, with what they may do by now. */
async function askerOf({ service, caller: { workspace } }: Context, plan: StoredRecord): Promise<Caller> {
  if (plan.KeyID === null) return localAdmin(service, workspace.name)
  const reader = service.store.reader(workspace.number)
  const [key, user] = [await reader.get(Key.name, plan.KeyID as string), await reader.get(User.name, plan.UserID as string)]
  try {
    if (key && user) return await keyCaller(service, workspace, key, user)
  } catch (error) {
    throw new CrmError('conflict', `Whoever asked for this may no longer do it: ${(error as Error).message}`, { cause: error })
  }
  throw new CrmError('conflict', 'Whoever asked for this is gone.')
}

export function refusePlan({ service, caller, input }: Context): Prepared {
  return {
    on: Plan,
    async work(writer) {
      const plan = await visible(writer, caller, Plan, input.PlanID as string)
      checkWaiting(plan, service.now().toISOString())
      const changes = { State: 'refused', DecidedBy: caller.userId, ...nextRevision(plan, writer.now()) }
      await writer.update(Plan.name, plan.PlanID as string, changes)
      return { answer: { PlanID: plan.PlanID, State: 'refused' }, change: happenedTo('refused', plan, { ...plan, ...changes }) }
    },
  }
}
