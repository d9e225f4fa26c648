import { type Static, Type } from 'typebox'
import type { OperationName } from './client/calls.ts'
import type { Problem } from './errors.ts'
import { LIMITS, VISIBLE } from './limits.ts'

/** What a batch is called where the name of an operation stands: it is none itself. */
export const BATCH = { id: 'batch', name: 'Batch' } as const

/** The input of `POST /v1/batch`. */
export const batchInput = Type.Object(
  {
    Operations: Type.Array(
      Type.Object(
        {
          Operation: Type.Unsafe<OperationName>({
            type: 'string',
            format: 'text',
            minLength: 1,
            maxLength: LIMITS.text,
            description: 'Its name, in any spelling.',
          }),
          Input: Type.Optional(Type.Unsafe<unknown>({ type: 'object', description: 'The input of the operation; an empty object by default.' })),
          Key: Type.Optional(
            Type.Unsafe<string>({
              type: 'string',
              pattern: VISIBLE,
              maxLength: LIMITS.idempotencyKey,
              description: 'Its own idempotency key; an Idempotency-Key on the batch gives the others `KEY#index`.',
            }),
          ),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: LIMITS.batch, description: `The calls, in order; at most ${LIMITS.batch}.` },
    ),
    Atomic: Type.Optional(Type.Boolean({ description: 'All or nothing: when one is refused, none is executed. Only for writes.' })),
    BatchID: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        pattern: '^[A-Za-z0-9_-]+$',
        maxLength: LIMITS.batchId,
        description: 'Makes several requests one batch, which is undone as one: an id of your own, or that of an earlier answer. A new one by default.',
      }),
    ),
  },
  { additionalProperties: false, title: 'Batch' },
)

export type Batch = Static<typeof batchInput>

/** The outcome of each call, in the same order. */
export const batchOutput = Type.Object(
  {
    Results: Type.Array(
      Type.Object({
        Status: Type.Integer({ description: 'The HTTP status that the call would have had as a single request.' }),
        Result: Type.Optional(
          Type.Unsafe<unknown>({
            type: 'object',
            description:
              'The answer, where the call was executed; left out of a write where the answer of the batch would become too large, and where it was executed by allow_plan.',
          }),
        ),
        Error: Type.Optional(Type.Unsafe<Problem>({ type: 'object', description: 'The problem, where it was refused.' })),
        ChangeID: Type.Optional(Type.String({ description: 'The audit line of a write that changed something.' })),
        Replayed: Type.Optional(Type.Literal(true, { description: 'The answer is that of an earlier call with the same key.' })),
      }),
    ),
    BatchID: Type.Optional(Type.String({ description: 'What all changes of the batch have in common; `undo_change` takes it.' })),
  },
  { title: 'BatchAnswer' },
)

export type BatchAnswer = Static<typeof batchOutput>

export const batchExample: Batch = {
  Operations: [
    { Operation: 'create_a_lead', Input: { FirstName: 'Ada', LastName: 'Lovelace' } },
    { Operation: 'create_case', Input: { Subject: 'Engine jams', Description: 'The third column sticks.' } },
  ],
}
