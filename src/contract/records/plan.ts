import { Type } from 'typebox'
import { field } from '../fields.ts'
import { idInput, manyInput, operation, pageOf } from '../operation.ts'
import { record } from '../record.ts'

/** How a key can require its deletes to be confirmed, the strictest last: with the token of their plan, or by `allow_plan` with another key alone. */
export const CONFIRMABLE = ['deletes', 'person'] as const
export type Confirm = (typeof CONFIRMABLE)[number]

/** What one call can require: with `updates` also what overwrites a record has to be confirmed, by the one who confirms deletes. */
export const CONFIRMABLE_IN_CALL = ['deletes', 'updates', 'person'] as const
export type ConfirmInCall = (typeof CONFIRMABLE_IN_CALL)[number]

export const strictest = (...required: readonly (Confirm | null | undefined)[]): Confirm | null =>
  CONFIRMABLE.findLast((confirm) => required.includes(confirm)) ?? null

const ANY = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** A delete, or a batch with deletes, that waits until it is confirmed. */
export const Plan = record({
  name: 'Plan',
  plural: 'plans',
  id: 'PlanID',
  summary: 'A delete, or a batch with deletes, that waits until it is confirmed.',
  names: ['Operation', 'RecordID'],
  inStore: true,
  owned: false,
  revised: true,
  belongs: 'UserID',
  indexed: ['State', 'RecordID', 'ExpiresDate'],
  fields: {
    UserID: field.id({ label: 'User', description: 'The user who sent the call.', required: true, access: 'read', refers: 'User' }),
    KeyID: field.id({ label: 'Key', description: 'The key the call was sent with; null for the local admin.', access: 'read' }),
    Operation: field.text({ label: 'Operation', description: '`batch` for a whole batch.', required: true, access: 'read' }),
    RecordType: field.text({ label: 'Record type', required: true, access: 'read' }),
    RecordID: field.id({ label: 'Record', description: 'The record that is taken away or overwritten; of a batch the first.', required: true, access: 'read' }),
    State: field.oneOf(['waiting', 'done', 'refused'], {
      label: 'State',
      description: 'waiting to be confirmed, done, or refused. A plan that still waits at its ExpiresDate is never executed.',
      required: true,
      access: 'read',
      defaultValue: 'waiting',
    }),
    ExpiresDate: field.timestamp({ label: 'Expires', description: 'From then on it can no longer be confirmed.', required: true, access: 'read' }),
    DecidedBy: field.id({
      label: 'Decided by',
      description: 'Who confirmed or refused it; set while it waits, once the person behind the client has agreed.',
      access: 'read',
      refers: 'User',
    }),
    Input: field.json(ANY, { label: 'Input', required: true, access: 'read' }),
    Preview: field.json(ANY, {
      label: 'Preview',
      description:
        'What a dry run of it answered, the names of the records (`Names`), the counts of what goes with them (`Removed`), and whether it can be undone (`Undoable`). Of a conversion what it makes (`Creates`). Of a batch the number of calls by operation (`Calls`), of a batch and its undo that of the records that are deleted (`Deletes`) or changed (`Updates`), the first 20 names of each, with what would change (`Differences`), and the sums of the counts.',
      required: true,
      access: 'read',
    }),
    Digest: field.text({ label: 'Digest', required: true, access: 'secret' }),
    Fingerprint: field.text({ label: 'Fingerprint', required: true, access: 'secret' }),
    RecordRevision: field.integer({ label: 'Record revision', access: 'secret' }),
  },
})

export const getManyPlans = operation({
  name: 'Get Many Plans',
  method: 'plans.getMany',
  record: Plan,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the deletes that wait to be confirmed, and with earlier ones that were executed, refused or expired.',
  description: 'A plan is kept for a day after it expires.',
  input: manyInput(Plan),
  output: pageOf(Plan.stored),
  example: { Filters: { State: 'waiting' } },
  extension: true,
  administration: true,
})

export const allowPlan = operation({
  name: 'Allow Plan',
  method: 'plans.allow',
  record: Plan,
  verb: 'allowPlan',
  effect: 'delete',
  summary: 'Executes a delete that waits to be confirmed, unless the record has changed since.',
  description:
    'It is executed with the present rights of the caller who sent it. Where a person has to allow it, the key that sent it cannot. A batch is executed as a whole, with the PlanID as its BatchID; on a CRM, which has no transactions, `Results` says of each call what became of it.',
  input: Type.Object({ PlanID: idInput('plan') }, { additionalProperties: false }),
  output: Type.Object({
    PlanID: Type.String(),
    State: Type.Literal('done'),
    Result: Type.Unsafe<Record<string, unknown>>({ type: 'object', description: 'What the operation answered.' }),
  }),
  errors: ['not_found', 'conflict'],
  example: { PlanID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
  administration: true,
})

export const refusePlan = operation({
  name: 'Refuse Plan',
  method: 'plans.refuse',
  record: Plan,
  verb: 'refusePlan',
  effect: 'update',
  summary: 'Refuses a delete that waits to be confirmed; its token is no longer valid.',
  description: 'Every user who may see the plan may refuse it: admins, the user who sent the call, and their managers.',
  input: Type.Object({ PlanID: idInput('plan') }, { additionalProperties: false }),
  output: Type.Object({ PlanID: Type.String(), State: Type.Literal('refused') }),
  errors: ['not_found', 'conflict'],
  example: { PlanID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
})
