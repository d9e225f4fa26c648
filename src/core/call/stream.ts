import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { SingleTurns } from '../../helpers/single-turns.ts'
import type { SharedBinding } from '../binding.ts'
import type { Call, Caller, Service } from '../service.ts'
import type { Page } from '../verbs/pages.ts'
import { sharedBinding } from './acquire-binding.ts'
import { shareOf } from './budget.ts'
import { execute } from './execute.ts'

/** Whether an operation answers page by page, and so can be streamed. */
export function streams(operation: Operation): boolean {
  return operation.verb === 'getMany' || operation.verb === 'getAttached'
}

/** Records in a page that is streamed from the store, or a mirror in it. Smaller than a page may be, since nothing else runs while its records are made. */
const STORE_PAGE = 250

/** All streams of the process. */
const turns = new SingleTurns()

/**
 * All pages of an operation that answers page by page, in constant memory. Other calls run between two pages, and `callerNow` is asked for
 * the caller before each, so that a stream ends once its key may no longer be used.
 */
export async function* stream(service: Service, call: Call, callerNow: () => Caller | Promise<Caller> = () => call.caller): AsyncGenerator<Page> {
  const binding = sharedBinding(service, call.caller.workspace)
  const { Limit, ...input } = Object(call.input) as Record<string, unknown>
  let cursor = input.Cursor
  let isMirrored = false
  try {
    do {
      await turns.wait(shareOf(call.caller))
      const { result } = await execute(service, {
        ...call,
        binding,
        caller: await callerNow(),
        input: { ...input, Limit: Limit ?? (isMirrored ? STORE_PAGE : await pageOf(binding)), ...(cursor !== undefined && { Cursor: cursor }) },
      })
      const page = result as Page
      yield page
      cursor = page.NextCursor
      isMirrored = page.AsOf !== undefined
    } while (typeof cursor === 'string')
  } finally {
    binding.release()
  }
}

/** Where the page cannot be found out, the call reports why. */
async function pageOf(binding: SharedBinding): Promise<number> {
  try {
    const { isStore, platformForNames } = await binding.acquire()
    return isStore ? STORE_PAGE : Math.min(platformForNames.supports.page, LIMITS.page)
  } catch {
    return STORE_PAGE
  }
}
