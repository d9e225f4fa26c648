import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { SingleTurns } from '../../helpers/single-turns.ts'
import type { StoredRecord } from '../../platforms/platform.ts'
import { type Call, type Caller, isInStore, platformForNames, type Service } from '../service.ts'
import type { Page } from '../verbs/pages.ts'
import { shareOf } from './budget.ts'
import { execute } from './execute.ts'

/** Whether an operation answers page by page, and so can be streamed. */
export function streams(operation: Operation): boolean {
  return operation.verb === 'getMany' || operation.verb === 'getAttached'
}

/** Records in a page that is streamed from the store. Smaller than a page may be, since nothing else runs while its records are made. */
const STORE_PAGE = 250

/** All streams of the process. */
const turns = new SingleTurns()

/**
 * All pages of an operation that answers page by page, in constant memory. Other calls run between two pages, and `callerNow` is asked for
 * the caller before each, so that a stream ends once its key may no longer be used.
 */
export async function* stream(
  service: Service,
  call: Call,
  callerNow: () => Caller | Promise<Caller> = () => call.caller,
): AsyncGenerator<readonly StoredRecord[]> {
  const platform = platformForNames(service, call.caller.workspace)
  const page = isInStore(service, call.caller.workspace) ? STORE_PAGE : Math.min(platform.supports.page, LIMITS.page)
  const { Limit = page, ...input } = Object(call.input) as Record<string, unknown>
  let cursor = input.Cursor
  do {
    await turns.wait(shareOf(call.caller))
    const { result } = await execute(service, {
      ...call,
      caller: await callerNow(),
      input: { ...input, Limit, ...(cursor !== undefined && { Cursor: cursor }) },
    })
    const { Records, NextCursor } = result as Page
    yield Records
    cursor = NextCursor
  } while (typeof cursor === 'string')
}
