import { faultsOf } from '../../core/call/schemas.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Members } from './truncate.ts'

/** What calls a tool, as it was sent. Reading a message the protocol's way loses a member called `__proto__`, which is to be refused. */
export type RawArguments = (id: string | number) => Members | undefined

/** The arguments of a call of a tool. */
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

/** What requests have to say, as far as a client can get it wrong by hand. */
const REQUESTS = new Map<unknown, object>([
  ['tools/call', withParams({ name: text, arguments: { type: 'object' } }, ['name'])],
  ['prompts/get', withParams({ name: text, arguments: { type: 'object', additionalProperties: text } }, ['name'])],
  ['resources/read', withParams({ uri: text }, ['uri'])],
])

/** What is wrong with the params of a request, in plain words. */
export function paramsError(message: unknown): string | undefined {
  const { method } = Object(message) as Members
  const schema = REQUESTS.get(method)
  const faults = schema ? faultsOf(schema as Record<string, unknown>, message) : []
  return faults.length === 0 ? undefined : `Invalid params of ${method}: ${faults.map((fault) => fault.message).join(' ')}`
}
