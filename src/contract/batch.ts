import { type Static, Type } from 'typebox'
import type { OperationName } from './client/calls.ts'
import type { Problem } from './errors.ts'
import { LIMITS, VISIBLE } from './limits.ts'

/** What `POST /v1/batch` takes. */
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
          Input: Type.Optional(Type.Unsafe<unknown>({ type: 'object', description: 'What the operation takes by itself; an empty object unless given.' })),
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
    Atomic: Type.Optional(Type.Boolean({ description: 'All or nothing: when one is refused, none is carried out. Only for writes.' })),
  },
  { additionalProperties: false, title: 'Batch' },
)

export type Batch = Static<typeof batchInput>

/** What became of each call, in the same order. */
export const batchOutput = Type.Object(
  {
    Results: Type.Array(
      Type.Object({
        Status: Type.Integer({ description: 'The HTTP status the call would have had by itself.' }),
        Result: Type.Optional(
          Type.Unsafe<unknown>({
            type: 'object',
            description: 'The answer, where it was carried out; left out of a write where all answers together would be larger than a batch may be.',
          }),
        ),
        Error: Type.Optional(Type.Unsafe<Problem>({ type: 'object', description: 'The problem, where it was refused.' })),
        ChangeID: Type.Optional(Type.String({ description: 'The line of the audit, where it has written something.' })),
        Replayed: Type.Optional(Type.Literal(true, { description: 'The answer is that of an earlier call with the same key.' })),
      }),
    ),
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
