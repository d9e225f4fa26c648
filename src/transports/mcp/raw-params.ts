import type { Fault } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { faultsOf } from '../../core/call/schemas.ts'
import { isObject } from '../../helpers/is-object.ts'
import { SUBSCRIBABLE } from './resources.ts'
import type { Members } from './truncate.ts'

/** The arguments of a tool call as they were sent. The library drops a member named `__proto__`, which has to be refused. */
export type RawArguments = (id: string | number) => Members | undefined

export function rawArguments(message: unknown): Members | undefined {
  const { method, params } = Object(message) as Members
  return method === 'tools/call' && isObject(params) && isObject(params.arguments) ? params.arguments : undefined
}

const text = { type: 'string' }
const withParams = (properties: object, required: readonly string[]) => ({
  type: 'object',
  properties: { params: { type: 'object', properties, required } },
  required: ['params'],
})

const subscribable = { ...text, pattern: SUBSCRIBABLE }

/** The params of the requests that people write by hand. */
const REQUESTS = new Map<unknown, object>([
  ['tools/call', withParams({ name: text, arguments: { type: 'object' } }, ['name'])],
  ['prompts/get', withParams({ name: text, arguments: { type: 'object', additionalProperties: text } }, ['name'])],
  ['resources/read', withParams({ uri: text }, ['uri'])],
  ['resources/subscribe', withParams({ uri: subscribable }, ['uri'])],
  [
    'subscriptions/listen',
    withParams(
      { notifications: { type: 'object', properties: { resourceSubscriptions: { type: 'array', maxItems: LIMITS.subscriptions, items: subscribable } } } },
      [],
    ),
  ],
])

/** What is wrong with the params of a request. */
export function paramsError(message: unknown): string | undefined {
  const { method } = Object(message) as Members
  const schema = REQUESTS.get(method)
  const faults = schema ? faultsOf(schema as Record<string, unknown>, message) : []
  return faults.length === 0 ? undefined : `Invalid params of ${method}: ${faults.map(messageOf).join(' ')}`
}

/** Only the resources that can be subscribed to have a form of their own. */
const messageOf = ({ field, code, message }: Fault) =>
  code === 'form' ? `${field} is nothing to subscribe to: use crm://events, or the URI of a record, such as crm://leads/ and its id.` : message
