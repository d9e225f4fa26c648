import type { Operation } from '../../../contract/operation.ts'
import { OPERATIONS, RECORD_TYPES } from '../../../contract/operations.ts'
import { words } from '../../../contract/record.ts'
import { streams } from '../../../core/call/stream.ts'
import { NDJSON_TYPE } from '../ndjson.ts'
import { batchPath } from './batch.ts'
import { DELIVERY_PARAMETERS, eventsPath, webhooks } from './events.ts'
import { answerExample } from './examples.ts'
import { DRY_RUN_ANSWER, headersOf, PARAMETERS, parametersOf, RESPONSE_HEADERS } from './headers.ts'
import { problemSchema, refusals, unreadable } from './problems.ts'
import { createSchemas, type Json, type Schemas } from './schemas.ts'

const JSON_MEDIA = 'application/json'

interface HowToWrite {
  readonly version: string
  readonly serverUrl?: string
  /** The operations with the platform's extensions; those of the contract unless given. */
  readonly operations?: readonly Operation[]
}

/** The OpenAPI 3.1 document, generated from the contract. */
export function openapiDocument({ version, serverUrl = '/', operations = OPERATIONS }: HowToWrite): Json {
  const schemas = createSchemas()
  const responses: Record<string, Json> = {}
  schemas.add('Problem', problemSchema())
  schemas.add('DryRunAnswer', DRY_RUN_ANSWER)
  const paths: Record<string, Json> = Object.fromEntries(
    operations.map((operation) => [`/v1/operations/${operation.id}`, { post: describeOperation(operation, schemas, responses) }]),
  )
  paths['/v1/batch'] = batchPath(schemas, responses)
  paths['/v1/events'] = eventsPath(schemas, responses)
  const deliveries = webhooks(schemas)
  const used = new Set<string>(operations.map((operation) => operation.record.name))

  return {
    openapi: '3.1.0',
    info: {
      title: 'CRM Connector',
      version,
      summary: 'One service through which an automation drives a CRM.',
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: serverUrl }],
    security: [{ key: [] }],
    tags: [
      ...RECORD_TYPES.filter((type) => used.has(type.name)).map(({ plural, summary }) => ({ name: words(plural), description: summary })),
      { name: 'Batch', description: 'Many calls in one request.' },
      { name: 'Events', description: 'What has happened, page by page or live.' },
      { name: 'Service', description: 'The service itself.' },
    ],
    paths: { ...paths, ...servicePaths() },
    webhooks: deliveries,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'A key, as shown once by `create_key`; the first admin’s is made at the first start.' },
      },
      parameters: { ...PARAMETERS, ...DELIVERY_PARAMETERS },
      headers: RESPONSE_HEADERS,
      responses: { ...responses, Unreadable: unreadable() },
      schemas: schemas.all(),
    },
  }
}

const INTRODUCTION = [
  'Every operation is one `POST` with its input as a JSON object, and answers 200 with its result.',
  'A refusal is an RFC 9457 problem: programs act on its `code`, people read its `detail`. [The table of errors](/docs/errors) lists them all.',
  'Names of operations are accepted in any spelling: `create_a_lead`, `Create A Lead`, `create-a-lead`.',
  'Operations that answer page by page stream all matches, one record a line, when asked with `Accept: application/x-ndjson`; others answer with JSON all the same.',
  'Every write is safe to repeat with an `Idempotency-Key`, can be tried with `Dry-Run: true`, and leaves a line in the audit whose id is in the header `Change-Id`.',
].join('\n\n')

function describeOperation(operation: Operation, schemas: Schemas, responses: Record<string, Json>): Json {
  const { id, name, record, summary, description, input, output, example } = operation
  const parameters = parametersOf(operation)
  const title = pascal(id)
  const answers: Record<string, Json> = {
    [JSON_MEDIA]: { schema: schemas.refer(output, `${title}Answer`), example: answerExample(operation) },
  }
  if (streams(operation))
    answers[NDJSON_TYPE] = {
      schema: { type: 'string', description: 'All matches, one record a line. A fault on the way ends the stream with one line `{"error": Problem}`.' },
    }
  return {
    operationId: id,
    tags: [words(record.plural)],
    summary: name,
    description: `${description}\n\nNeeds the scope \`${operation.tier}\`, or \`${operation.tier}:${record.name}\`, or \`${operation.tier}:${id}\`.`,
    ...(parameters.length > 0 && { parameters }),
    requestBody: { required: required(input), content: { [JSON_MEDIA]: { schema: schemas.refer(input, `${title}Input`), example: example as Json } } },
    responses: {
      '200': { description: summary, headers: headersOf(operation), content: answers },
      ...refusals(operation.errors, responses),
    },
  }
}

/** Routes that are public, or for operations. */
function servicePaths(): Record<string, Json> {
  const get = (operationId: string, summary: string, media: string, more: Record<string, Json> = {}): Json => ({
    get: {
      operationId,
      tags: ['Service'],
      summary,
      security: [],
      responses: {
        '200': { description: summary, content: { [media]: { schema: { type: media === JSON_MEDIA ? 'object' : 'string' } } } },
        '400': { $ref: '#/components/responses/Unreadable' },
        ...(more.responses as Record<string, Json>),
      },
      ...(more.security && { security: more.security }),
    },
  })
  const notReady = { '503': { $ref: '#/components/responses/PlatformUnavailable' } }
  const refused = { '401': { $ref: '#/components/responses/Unauthenticated' }, '403': { $ref: '#/components/responses/Forbidden' } }
  return {
    '/v1/operations': get('list_operations', 'Lists the operations.', JSON_MEDIA),
    '/healthz': get('get_health', 'Whether the process is alive.', JSON_MEDIA),
    '/readyz': get('get_readiness', 'Whether calls can be executed.', JSON_MEDIA, { responses: notReady }),
    '/metrics': get('get_metrics', 'Figures for Prometheus; open on the machine itself, elsewhere for admins.', 'text/plain', {
      responses: refused,
      security: [{ key: [] }, {}],
    }),
  }
}

const required = (input: unknown) => ((input as { required?: string[] }).required ?? []).length > 0

const pascal = (id: string) => id.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
