import { setTimeout as sleep } from 'node:timers/promises'
import { CrmError } from '../../contract/errors.ts'
import { Plan } from '../../contract/records/plan.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { digestOf, sameDigest } from '../access/keys.ts'
import { getRecord, nextRevision, type RecordOf } from '../call/records.ts'
import type { Caller, Service } from '../service.ts'
import { CONFIRMED_WITHIN_MS, checkWaiting, NO_TOKEN } from './confirmations.ts'

/** How the person behind a client has replied to a question about a plan: `cancel` is to dismiss it, `failed` where they could not be asked. */
export type Reply = 'accept' | 'decline' | 'cancel' | 'failed'

/** A question about a plan, of which the digest is that of its token: a plan that is asked about again has another. */
interface Question {
  readonly workspace: number
  readonly planId: string
  readonly digest: string
}

/** What the preview of a plan has whose question was dismissed. */
const DISMISSED = { Dismissed: true } as const

/** How often the store is polled for a reply, which may have reached another process. */
const POLL_MS = 250

function questionOf(caller: Caller, token: string): Question {
  const [planId = '', secret = ''] = token.split('.')
  return { workspace: caller.workspace.number, planId, digest: digestOf(secret) }
}

/** The id of the question about the plan of a token. It cannot be guessed, confirms nothing, and only the same caller can reply to it. */
export function questionId({ tickets }: Service, caller: Caller, token: string): string {
  return tickets.issue('question', questionOf(caller, token), CONFIRMED_WITHIN_MS)
}

/** Records a reply on the plan, for the process that waits for it; a plan whose question was dismissed has yet to be refused. Throws for a question of another caller, and for one that is no longer open. */
export async function recordReply(service: Service, caller: Caller, id: string, reply: Exclude<Reply, 'decline'>): Promise<void> {
  await service.store.write(caller.workspace.number, async (writer) => {
    const plan = await openPlan(service, caller, id, (planId) => getRecord(writer, Plan, planId))
    const decisions: { readonly [reply in typeof reply]: StoredRecord } = {
      accept: { DecidedBy: caller.userId },
      cancel: { Preview: { ...plan.Preview, ...DISMISSED } },
      failed: { Digest: NO_TOKEN },
    }
    const decision = decisions[reply]
    await writer.update(Plan.name, plan.PlanID, { ...decision, ...nextRevision(plan, writer.now()) })
  })
}

/** The id of the plan that an open question is about. */
export async function planIn(service: Service, caller: Caller, id: string): Promise<string> {
  const reader = service.store.reader(caller.workspace.number)
  return (await openPlan(service, caller, id, (planId) => getRecord(reader, Plan, planId))).PlanID
}

type StoredPlan = RecordOf<typeof Plan>

async function openPlan(service: Service, caller: Caller, id: string, read: (planId: string) => Promise<StoredPlan | undefined>): Promise<StoredPlan> {
  const question = service.tickets.read<Question>('question', id)
  const plan = question?.workspace === caller.workspace.number ? await read(question.planId) : undefined
  if (!question || plan?.UserID !== caller.userId || plan.KeyID !== caller.keyId)
    throw new CrmError('invalid_input', 'No question with this id was asked of you.', {
      hint: 'Reply with the id of the request, and with the key of the call.',
    })
  checkWaiting(plan, service.now().toISOString())
  if (plan.DecidedBy !== null || !sameDigest(plan.Digest, question.digest))
    throw new CrmError('conflict', 'This question was replied to already, or has been asked again since.')
  return plan
}

/** Resolves to the reply once it is recorded, by this process or another; to `failed` once the plan cannot be confirmed any more. Rejects once `signal` aborts. */
export async function awaitReply({ store, now }: Service, caller: Caller, token: string, signal: AbortSignal): Promise<Reply> {
  const { planId, digest } = questionOf(caller, token)
  for (;;) {
    const plan = await getRecord(store.reader(caller.workspace.number), Plan, planId)
    if (plan?.State === 'refused') return isObject(plan.Preview) && 'Dismissed' in plan.Preview ? 'cancel' : 'decline'
    if (!plan || !sameDigest(plan.Digest, digest) || plan.ExpiresDate <= now().toISOString()) return 'failed'
    if (plan.DecidedBy !== null) return 'accept'
    await sleep(POLL_MS, undefined, { signal })
  }
}
