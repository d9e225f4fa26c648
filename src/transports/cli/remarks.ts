import type { Crm } from '../../contract/client/client.ts'
import type { CallOutcome } from '../../contract/client/transport.ts'
import { remarksOn } from '../../core/remarks/remarks.ts'
import type { AnsweredCall } from './answers.ts'
import { note } from './io.ts'
import { paintFor } from './paint.ts'
import { tamed } from './text.ts'

/** Prints remarks on a write on a terminal, where a person reads them; programs are spared the reads. A remark that fails is left out. */
export async function printRemarks(
  { io, operation, input }: AnsweredCall,
  answer: unknown,
  { changeId, replayed }: CallOutcome,
  { crm, hasKey }: { readonly crm: Crm; readonly hasKey: boolean },
): Promise<void> {
  if (replayed || !io.stderr.isTTY) return
  const reading = async () => {
    const { UserID, Role, Scopes } = await crm.users.getCurrent({})
    return { writer: { userId: UserID, role: Role, scopes: Scopes }, call: (id: string, given: object) => crm.call(id, given) }
  }
  const remarks = await remarksOn({ operation, input, answer, changeId, hasKey, keyName: '--idempotency-key' }, reading).catch(() => [])
  const { yellow } = paintFor(io.stderr, io.env)
  for (const remark of remarks) note(io, `${yellow('Remark:')} ${tamed(remark)}`)
}
