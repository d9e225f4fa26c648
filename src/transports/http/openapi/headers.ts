import { LIMITS } from '../../../contract/limits.ts'
import { isDestructive, type Operation, overwrites } from '../../../contract/operation.ts'
import { CONFIRMABLE_IN_CALL } from '../../../contract/records/plan.ts'
import type { Json } from './schemas.ts'

/** The headers of a request, by their name among the shared parameters. Without examples, which try-it would send. */
export const PARAMETERS: Record<string, Json> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the call safe to repeat: with the same key it is executed once, and repeating it answers as the first time did, with `Idempotency-Replayed: true`. A refusal does not use the key up.',
    schema: { type: 'string', minLength: 1, maxLength: LIMITS.idempotencyKey, pattern: '^[\\x21-\\x7e]+$' },
  },
  DryRun: {
    name: 'Dry-Run',
    in: 'header',
    description:
      'With `true` nothing is written, counted or announced. The answer is then a `DryRunAnswer` instead of the one described here; whatever would be refused is refused.',
    schema: { type: 'boolean' },
  },
  ConfirmationToken: {
    name: 'Confirmation-Token',
    in: 'header',
    description:
      'The `Token` of the plan in an earlier refusal of the same call: what the key may only do once it is confirmed is then done. It works once, and for a quarter of an hour.',
    schema: { type: 'string' },
  },
  Confirm: {
    name: 'Confirm',
    in: 'header',
    description:
      'With `deletes` the call is planned and refused with that plan, whatever the key says, until it comes with a `Confirmation-Token`; with `updates` that holds for updates too. With `person` there is no token: only Allow Plan with another key executes it.',
    schema: { type: 'string', enum: CONFIRMABLE_IN_CALL },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of an earlier answer, such as `"3"`, and the same as `IfRevision` in the input: refuses with `conflict` unless the record still has this Revision.',
    schema: { type: 'string' },
  },
  RequestTimeout: {
    name: 'Request-Timeout',
    in: 'header',
    description:
      'Seconds within which the answer is wanted, such as `2.5`: a call that takes longer ends with `too_expensive`. It cannot lengthen the time that the service allows.',
    schema: { type: 'number', exclusiveMinimum: 0, maximum: 999_999 },
  },
}

const of = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

/** The headers that any write takes. */
const WRITE_PARAMETERS: readonly Json[] = [of('IdempotencyKey'), of('DryRun'), of('RequestTimeout')]
export const BATCH_PARAMETERS: readonly Json[] = [...WRITE_PARAMETERS, of('Confirm'), of('ConfirmationToken')]

export function parametersOf(operation: Operation): readonly Json[] {
  if (operation.effect === 'read') return [of('RequestTimeout')]
  const confirmed = isDestructive(operation) || overwrites(operation) ? [...(operation.confirmed ? [] : [of('Confirm')]), of('ConfirmationToken')] : []
  return [...WRITE_PARAMETERS, ...confirmed, ...(has(operation.input, 'IfRevision') ? [of('IfMatch')] : [])]
}

/** The headers of answers. */
export const RESPONSE_HEADERS: Record<string, Json> = {
  'X-Request-Id': { description: "The request id: the caller's, or a generated one.", schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds until it is worth trying again.', schema: { type: 'integer' } },
  'Change-Id': {
    description: 'The line of the audit that this write has left, as `undo_change` takes it; absent where nothing had to be changed.',
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description: '`true` where the answer is that of an earlier call with the same Idempotency-Key; absent otherwise.',
    schema: { type: 'boolean' },
  },
  ETag: { description: 'The Revision of the record, as `If-Match` takes it.', schema: { type: 'string' } },
}

export const headers = (...names: readonly string[]): Json =>
  Object.fromEntries(names.map((name): [string, Json] => [name, { $ref: `#/components/headers/${name}` }]))

export function headersOf({ effect, output }: Operation): Json {
  return headers('X-Request-Id', ...(effect === 'read' ? [] : ['Change-Id', 'Idempotency-Replayed']), ...(has(output, 'Revision') ? ['ETag'] : []))
}

const has = (schema: unknown, member: string) => Object.hasOwn((schema as { properties?: object }).properties ?? {}, member)

/** The answer of a dry run. */
export const DRY_RUN_ANSWER: Json = {
  type: 'object',
  description: 'What a write would have done, had it not been sent with `Dry-Run: true`.',
  properties: {
    DryRun: { type: 'boolean', const: true },
    WouldWrite: { type: 'object', description: 'What it would have answered with; null in the place of ids and secrets that only a real run makes.' },
    Difference: {
      type: 'object',
      description: 'The fields that would have another value, by their names.',
      additionalProperties: {
        type: 'object',
        properties: { From: { description: 'What it is now.' }, To: { description: 'What it would be.' } },
        required: ['From', 'To'],
      },
    },
  },
  required: ['DryRun', 'WouldWrite', 'Difference'],
}
