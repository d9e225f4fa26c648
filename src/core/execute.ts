import { CrmError } from '../contract/errors.ts'
import type { Operation, Verb } from '../contract/operation.ts'
import { findOperation } from '../contract/operations.ts'
import type { StoredRecord } from '../platforms/platform.ts'
import { allow } from './access.ts'
import { check } from './check.ts'
import { type Call, type Caller, platformOf, type Service } from './service.ts'
import { createKey, createUser, getCurrentUser, revokeKey, updateUser } from './verbs/administration.ts'
import { attach, link, unlink } from './verbs/attachments.ts'
import type { Context } from './verbs/context.ts'
import { createCustom } from './verbs/custom-objects.ts'
import { describe } from './verbs/describe.ts'
import { getAttached, getMany, type Page } from './verbs/pages.ts'
import { create, get, remove, update } from './verbs/records.ts'
import { getSummary } from './verbs/summaries.ts'

const VERBS: { readonly [V in Verb]: (context: Context) => Promise<unknown> } = {
  create,
  get,
  getMany,
  getSummary,
  update,
  delete: remove,
  attach,
  getAttached,
  link,
  unlink,
  createCustom,
  describe,
  getCurrentUser,
  createUser,
  updateUser,
  createKey,
  revokeKey,
}

/** The life of every call, whichever door it came through. Throws CrmError and nothing else. */
export async function execute(service: Service, call: Call): Promise<unknown> {
  try {
    const operation = findOperation(call.operation)
    allow(call.caller, operation)
    const checked = check(service, call.caller, operation, call.input)
    const { input, search } = checked instanceof Promise ? await checked : checked
    return await VERBS[operation.verb]({ service, caller: call.caller, operation, input, search })
  } catch (error) {
    throw wrapped(service, call.caller, error)
  }
}

/** Whether an operation answers page by page, and so can be streamed. */
export function streams(operation: Operation): boolean {
  return operation.verb === 'getMany' || operation.verb === 'getAttached'
}

/** Records in a page of a stream: few enough that nobody waits long for their turn between two of them. */
const STREAM_PAGE = 500

/**
 * All pages of an operation that answers page by page, one after the other, in constant memory. Everyone else has a turn between
 * two, and before each `still` says who the caller is by now, or throws.
 */
export async function* stream(
  service: Service,
  call: Call,
  still: () => Caller | Promise<Caller> = () => call.caller,
): AsyncGenerator<readonly StoredRecord[]> {
  const { Limit = STREAM_PAGE, ...input } = Object(call.input) as Record<string, unknown>
  let cursor = input.Cursor
  do {
    const page = (await execute(service, {
      ...call,
      caller: await still(),
      input: { ...input, Limit, ...(cursor !== undefined && { Cursor: cursor }) },
    })) as Page
    yield page.Records
    cursor = page.NextCursor
    await new Promise(setImmediate)
  } while (typeof cursor === 'string')
}

/** Platforms throw what their libraries throw; here it becomes ours, once. What nobody knows is a fault of ours, never "unavailable". */
function wrapped(service: Service, caller: Caller, error: unknown): CrmError {
  if (error instanceof CrmError) return error
  const known = platformOf(service, caller.workspace).classify(error) ?? service.store.classify(error)
  if (known)
    return new CrmError(known.code, known.message, {
      cause: error,
      ...(known.errors && { errors: known.errors }),
      ...(known.code === 'platform_unavailable' && { retryAfter: 1 }),
    })
  return new CrmError('internal', 'Something went wrong on our side; the log has it under the request id.', { cause: error })
}
