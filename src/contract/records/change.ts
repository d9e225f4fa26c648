import { Type } from 'typebox'
import { field } from '../fields.ts'
import { BATCH_INDEX, LIMITS } from '../limits.ts'
import { idInput, manyInput, operation, pageOf } from '../operation.ts'
import { record } from '../record.ts'

const image = Type.Unsafe<Record<string, unknown>>({ type: 'object' })

/** The owner in changes of records that the whole workspace shares. */
export const SHARED = ''

/** A line of the audit: one write, or the refusal of one. */
export const Change = record({
  name: 'Change',
  plural: 'changes',
  id: 'ChangeID',
  summary: 'A line of the audit: one write, or the refusal of one.',
  names: ['Operation', 'RecordID'],
  inStore: true,
  owned: false,
  revised: false,
  belongs: 'OwnerID',
  createdField: 'At',
  indexed: ['RecordID', 'OwnerID', 'UserID', 'Number'],
  sparse: ['GroupID', 'BatchID', 'Undoes'],
  fields: {
    At: field.timestamp({ label: 'At', required: true, access: 'read' }),
    Number: field.integer({
      label: 'Number',
      description: 'Its place in the chain of the workspace; null until it is sealed, and for callers who do not see every record.',
      access: 'read',
    }),
    UserID: field.id({ label: 'User', description: 'Who did it.', required: true, access: 'read', refers: 'User' }),
    KeyID: field.id({
      label: 'Key',
      description: 'The key it was done with; null for a process with direct access to the store.',
      access: 'read',
      refers: 'Key',
    }),
    Transport: field.text({ label: 'Transport', description: 'The transport the call came over.', required: true, access: 'read' }),
    Operation: field.text({ label: 'Operation', required: true, access: 'read' }),
    RecordType: field.text({ label: 'Record type', required: true, access: 'read' }),
    RecordID: field.id({ label: 'Record', description: 'The record that was changed.', access: 'read' }),
    Before: field.json(image, { label: 'Before', description: 'The record, or its note, comment or membership, before the change.', access: 'read' }),
    After: field.json(image, { label: 'After', description: 'The record, or its note, comment or membership, after the change.', access: 'read' }),
    RequestID: field.text({ label: 'Request', access: 'read' }),
    Outcome: field.text({ label: 'Outcome', description: '`ok`, or the code of the refusal.', required: true, access: 'read' }),
    EventType: field.text({ label: 'Event type', description: 'The type of its event; null for a refusal.', access: 'read' }),
    Count: field.integer({ label: 'Count', description: 'How many refused calls the line stands for; null where it is one.', access: 'read' }),
    GroupID: field.id({
      label: 'Group',
      description: 'What all changes of one call have in common, where it made several; `undo_change` takes it too.',
      access: 'read',
    }),
    BatchID: field.id({ label: 'Batch', description: 'The batch that it was made in; `undo_change` takes it too.', access: 'read' }),
    Undoes: field.id({ label: 'Undoes', description: 'The change that it undid.', access: 'read' }),
    IdempotencyKey: field.text({ label: 'Idempotency key', access: 'read', max: LIMITS.idempotencyKey + BATCH_INDEX }),
    OwnerID: field.id({
      label: 'Owner',
      description: 'The owner of the record; empty where the workspace shares it, null where only admins see the line.',
      access: 'secret',
    }),
    Salt: field.text({ label: 'Salt', access: 'secret' }),
    BeforeDigest: field.text({ label: 'Digest of Before', access: 'secret' }),
    AfterDigest: field.text({ label: 'Digest of After', access: 'secret' }),
    Seal: field.text({ label: 'Seal', access: 'secret' }),
  },
})

export const getManyChanges = operation({
  name: 'Get Many Changes',
  method: 'changes.getMany',
  record: Change,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the audit, page by page, newest first: who wrote what, with the record before and after.',
  description:
    'Admins see every line, refusals included; others see the changes of records they may see. Filter by RecordID for the history of one record. Number is for admins; others filter and sort by At.',
  input: manyInput(Change),
  output: pageOf(Change.stored),
  example: { Filters: { RecordID: '0k6v2m8q4d9x1c7b5n3t' } },
  extension: true,
})

export const undoChange = operation({
  name: 'Undo Change',
  method: 'changes.undo',
  record: Change,
  verb: 'undoChange',
  effect: 'update',
  summary: 'Undoes a change or a batch: restores the record as it was before, unless it has changed since.',
  description:
    'Give ChangeID or BatchID. Of a batch the newest changes are undone first, at most 1000 with one call: while Left is not 0, call again. In a store each call is all or nothing, unless Atomic is false; on a CRM each change is undone for itself. Failed then lists those that were not. Undoing a delete restores the record under its id, with its notes, comments and memberships. It needs the scope of its effect: `delete` to undo a create, `write` to undo an update or a delete, `admin` for user-defined fields.',
  input: Type.Object(
    {
      ChangeID: Type.Optional(idInput('change')),
      BatchID: Type.Optional(idInput('batch, instead of that of a change')),
      Atomic: Type.Optional(Type.Boolean({ description: 'False leaves what has changed since. Of a batch in a store; on a CRM it is always so.' })),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    UndoneChangeID: Type.Optional(Type.String()),
    RecordType: Type.Optional(Type.String()),
    RecordID: Type.Optional(Type.String()),
    Record: Type.Optional(
      Type.Unsafe<Record<string, unknown> | null>({
        type: ['object', 'null'],
        description: 'The record after the undo; null where it was deleted, and where the key may not read it.',
      }),
    ),
    UndoneBatchID: Type.Optional(
      Type.String({ description: 'The batch, where one was undone. The members above are of a single change, those below of a batch.' }),
    ),
    BatchID: Type.Optional(Type.String({ description: 'The batch that the undo is itself, by which it is undone in turn.' })),
    Undone: Type.Optional(Type.Integer({ description: 'How many changes were undone.' })),
    Left: Type.Optional(Type.Integer({ description: 'How many changes of the batch are still to be undone.' })),
    Changes: Type.Optional(
      Type.Unsafe<Record<string, number>>({
        type: 'object',
        additionalProperties: { type: 'integer' },
        description: 'What the undo has done, by type of event: how many times.',
      }),
    ),
    Failed: Type.Optional(
      Type.Array(Type.Object({ ChangeID: Type.String(), RecordType: Type.String(), RecordID: Type.String(), Code: Type.String(), Message: Type.String() }), {
        description: 'The changes that could not be undone, and why. Empty where it is all or nothing.',
      }),
    ),
  }),
  errors: ['not_found'],
  example: { ChangeID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
})

export const eraseRecord = operation({
  name: 'Erase Record',
  method: 'changes.erase',
  record: Change,
  verb: 'eraseRecord',
  effect: 'delete',
  summary: 'Erases a record and every image of it permanently, as privacy law requires; the audit can still be verified.',
  description:
    'It cannot be undone. The audit lines remain, without the values of the record. It also works for a record that was already deleted. A record of a CRM is deleted there first; what the CRM itself keeps is in the answer.',
  input: Type.Object(
    {
      RecordType: Type.Unsafe<string>({
        type: 'string',
        enum: ['Lead', 'Opportunity', 'Case', 'Company', 'Contact', 'CustomObject'],
        description: 'The type of the record.',
      }),
      RecordID: idInput('record'),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    RecordType: Type.String(),
    RecordID: Type.String(),
    Erased: Type.Literal(true),
    Changes: Type.Integer({ description: 'The number of audit lines whose images were erased.' }),
    Remains: Type.Optional(
      Type.String({
        description: 'What the CRM itself still keeps of the record, and for how long, or that it does not have the record; absent where nothing remains.',
      }),
    ),
  }),
  errors: ['not_found'],
  example: { RecordType: 'Lead', RecordID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
  administration: true,
})
