import { LIMITS } from '../../../contract/limits.ts'
import { words } from '../../../contract/record.ts'
import { EVENT_TYPES, type EventType, getManyEvents } from '../../../contract/records/event.ts'
import { SSE_TYPE } from '../server-sent-events.ts'
import { eventExample } from './event-examples.ts'
import { headers } from './headers.ts'
import { refusals } from './problems.ts'
import type { Json, Schemas } from './schemas.ts'

const JSON_MEDIA = 'application/json'
const [FIRST] = EVENT_TYPES as readonly [EventType, ...EventType[]]

/** `GET /v1/events`. */
export function eventsPath(schemas: Schemas, responses: Record<string, Json>): Json {
  const event = eventExample(FIRST) as unknown as Json
  return {
    get: {
      operationId: 'events',
      tags: ['Events'],
      summary: 'Events',
      description: [
        'Answers with what happened to the records the caller may see, oldest first: a page, or with `Accept: text/event-stream` a live stream. Keep `NextCursor`, and give it as `after` to go on from there; a page may be empty while more follow.',
        'Without `after` a page begins with the oldest event that is kept, a stream with what happens from now on. Needs `read` for whatever is to be seen.',
      ].join('\n\n'),
      parameters: [
        {
          name: 'after',
          in: 'query',
          description: 'A NextCursor, an EventID or a ChangeID; everything after it is wanted.',
          schema: { type: 'string', maxLength: LIMITS.text },
        },
        {
          name: 'limit',
          in: 'query',
          description: `Events in a page, ${LIMITS.defaultEvents} by default.`,
          schema: { type: 'integer', minimum: 1, maximum: LIMITS.events },
        },
        {
          name: 'Last-Event-ID',
          in: 'header',
          description: 'The last event received; EventSource clients send it when they reconnect. Overrides `after`.',
          schema: { type: 'string', maxLength: LIMITS.text },
        },
      ],
      responses: {
        '200': {
          description: 'The events, in the order in which they were acknowledged.',
          headers: headers('X-Request-Id'),
          content: {
            [JSON_MEDIA]: { schema: schemas.refer(getManyEvents.output, 'GetManyEventsAnswer'), example: { Events: [event], NextCursor: '000000000042' } },
            [SSE_TYPE]: {
              schema: {
                type: 'string',
                description:
                  'Server-sent events: `id` is the EventID, `event` the Type, `data` the Event as JSON. `event: cursor` has no data and only moves the place to come back to. A fault ends the stream with `event: error` and a Problem as `data`.',
              },
              example: `id: 000000000042\nevent: ${FIRST.type}\ndata: ${JSON.stringify(event)}\n\n`,
            },
          },
        },
        ...refusals(getManyEvents.errors, responses),
      },
    },
  }
}

/** The deliveries to webhooks, one for each event type. */
export function webhooks(schemas: Schemas): Json {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type.type, { post: describeDelivery(type, schemas) }]))
}

function describeDelivery(type: EventType, schemas: Schemas): Json {
  return {
    operationId: `on_${type.type.replace('.', '_')}`,
    tags: [words(type.record.plural)],
    summary: type.summary.split('. ')[0] ?? type.type,
    description: `${type.summary}\n\nSigned by the Standard Webhooks scheme with the secret that \`create_webhook\` has shown. Events come at least once, those of one record in order.`,
    security: [],
    parameters: ['WebhookId', 'WebhookTimestamp', 'WebhookSignature'].map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: {
      required: true,
      content: { [JSON_MEDIA]: { schema: schemas.refer(type.schema, type.type), example: eventExample(type) as unknown as Json } },
    },
    responses: {
      '2XX': { description: 'Taken. The body of the answer is ignored.' },
      default: { description: 'Not taken, as when there is no answer in time: it is sent again later. 410 pauses the webhook; redirects are not followed.' },
    },
  }
}

/** The headers of a delivery. */
export const DELIVERY_PARAMETERS: Record<string, Json> = {
  WebhookId: header(
    'webhook-id',
    'The WebhookID and the EventID: the same each time the event is sent, so that a duplicate can be recognised.',
    '0k6v2m8q4d9x1c7b5n3t-000000000042',
  ),
  WebhookTimestamp: header('webhook-timestamp', 'When it was sent, in seconds since 1970.', '1794735300'),
  WebhookSignature: header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64, by the secret; two of them with a space between while a secret is being rotated.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
}

function header(name: string, description: string, example: string): Json {
  return { name, in: 'header', required: true, description, schema: { type: 'string' }, example }
}
