import { batchExample, batchInput, batchOutput } from '../../../contract/batch.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { BATCH_PARAMETERS, headers } from './headers.ts'
import { refusals } from './problems.ts'
import type { Json, Schemas } from './schemas.ts'

const JSON_MEDIA = 'application/json'

/** `POST /v1/batch`. */
export function batchPath(schemas: Schemas, responses: Record<string, Json>): Json {
  return {
    post: {
      operationId: 'batch',
      tags: ['Batch'],
      summary: 'Batch',
      description: [
        `Executes up to ${LIMITS.batch} calls in one go, in order, and answers 200 with what became of each. With \`Atomic\` it is all or nothing.`,
        'An `Idempotency-Key` gives each call the key `KEY#index`, the first being 0; a call may have a `Key` of its own. `Dry-Run` holds for all of them. Each call counts against the limit of the key, and needs the scope it would need by itself.',
        'Where a call has to be confirmed, nothing is executed, and the whole batch is refused with one plan (`conflict`); the same batch with its `Confirmation-Token` is executed.',
      ].join('\n\n'),
      parameters: BATCH_PARAMETERS,
      requestBody: { required: true, content: { [JSON_MEDIA]: { schema: schemas.refer(batchInput, 'Batch'), example: batchExample as Json } } },
      responses: {
        '200': {
          description: 'What became of each call, in the same order.',
          headers: headers('X-Request-Id'),
          content: { [JSON_MEDIA]: { schema: schemas.refer(answerSchema(), 'BatchAnswer'), example: EXAMPLE } },
        },
        ...refusals(
          ['invalid_input', 'unauthenticated', 'conflict', 'unsupported', 'too_large', 'too_expensive', 'rate_limited', 'platform_unavailable', 'internal'],
          responses,
        ),
      },
    },
  }
}

/** The answer with the precise schemas of its results. */
function answerSchema(): Json {
  const schema = JSON.parse(JSON.stringify(batchOutput)) as { properties: { Results: { items: { properties: Record<string, Json> } } } }
  const { properties } = schema.properties.Results.items
  properties.Result = {
    description: 'The answer of the operation, where it was executed.',
    anyOf: [{ type: 'object' }, { $ref: '#/components/schemas/DryRunAnswer' }],
  }
  properties.Error = { $ref: '#/components/schemas/Problem', description: 'Why it was refused.' }
  return schema as unknown as Json
}

const EXAMPLE: Json = {
  Results: [
    { Status: 200, Result: { LeadID: '0k6v2m8q4d9x1c7b5n3t', FirstName: 'Ada', LastName: 'Lovelace', Revision: 1 }, ChangeID: '0k6v2m8q4d9x1c7b5n40' },
    { Status: 200, Result: { CaseID: '0k6v2m8q4d9x1c7b5n3v', Subject: 'Engine jams', Revision: 1 }, ChangeID: '0k6v2m8q4d9x1c7b5n41' },
  ],
}
