import assert from 'node:assert/strict'
import type { Verb } from '../contract/operation.ts'
import type { Context } from './behaviour.ts'
import type { Row } from './records.ts'
import { answered, type Proof, type Proofs, readBack, sample } from './walk-samples.ts'
import { workspaceName } from './writes.ts'

/** Who the first admin of a new workspace is. */
const admin =
  (input: string, member: string, value: string): Proof =>
  async (context, operation) => {
    const { Key } = await answered(context, operation, { Name: workspaceName(context), [input]: value })
    const me = (await context.signIn(Key as string).users.getCurrent({})) as Row
    assert.equal(me[member], value)
  }

/** Of two workspaces, the one that is named is meant. */
const named =
  (prepare: (context: Context, WorkspaceID: string) => Promise<unknown> = async () => {}): Proof =>
  async (context, operation) => {
    const { record } = operation
    const rows = [await sample(context, record), await sample(context, record)]
    for (const { WorkspaceID } of rows) await prepare(context, WorkspaceID as string)
    const read = () => Promise.all(rows.map(({ WorkspaceID }) => readBack(context, record, WorkspaceID)))
    const [first, second] = await read()
    const { WorkspaceID } = first as Row
    const answer = await answered(context, operation, { WorkspaceID })
    assert.equal(answer.WorkspaceID, WorkspaceID)
    const [firstNow, secondNow] = await read()
    assert.notEqual(firstNow?.State, first?.State)
    assert.deepEqual(secondNow, second)
  }

/** What each input of the operations on workspaces does. */
export const WORKSPACES: { readonly [V in Verb]?: Proofs } = {
  createWorkspace: { AdminName: admin('AdminName', 'Name', 'Grace'), AdminEmail: admin('AdminEmail', 'Email', 'grace@example.com') },
  pauseWorkspace: { WorkspaceID: named() },
  resumeWorkspace: { WorkspaceID: named(({ crm }, WorkspaceID) => crm.workspaces.pause({ WorkspaceID })) },
  deleteWorkspace: {
    WorkspaceID: named(),
    async Name(context, operation) {
      const { WorkspaceID } = await sample(context, operation.record)
      await context.refused(context.crm.call(operation.id, { WorkspaceID, Name: workspaceName(context) }), 'conflict', { field: 'Name' })
      assert.equal((await readBack(context, operation.record, WorkspaceID))?.State, 'active')
    },
    async IfRevision(context, operation) {
      const { WorkspaceID, Revision } = await sample(context, operation.record)
      await context.refused(context.crm.call(operation.id, { WorkspaceID, IfRevision: Number(Revision) + 1 }), 'conflict')
      await answered(context, operation, { WorkspaceID, IfRevision: Revision })
    },
  },
}
