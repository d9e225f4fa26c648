import type { IDataObject } from 'n8n-workflow'
import type { Input } from './input.ts'
import { ParameterFault } from './parameter-fault.ts'

/** The largest page of the service. */
const MAX_PAGE = 1000

interface Page extends IDataObject {
  NextCursor: string | null
}

export interface Wanted {
  /** The most records; undefined for all. */
  readonly limit: number | undefined
  readonly cursor: string | undefined
}

/** The records of a page; a page of events names them Events, and its cursor After. */
export const recordsIn = (page: IDataObject) => (page.Records ?? page.Events ?? []) as IDataObject[]

export function limitOf(given: unknown): number {
  const limit = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1) return limit
  throw new ParameterFault('Limit', 'Limit must be a whole number of at least 1.', { hint: 'Use Return All for all records.' })
}

/** Follows the pages of an operation up to the limit. */
export async function* recordsOf(
  send: (input: Input) => Promise<IDataObject>,
  input: Input,
  forms: readonly string[],
  wanted: Wanted,
): AsyncGenerator<IDataObject> {
  const cursorName = forms.includes('After') ? 'After' : 'Cursor'
  let left = wanted.limit ?? Number.POSITIVE_INFINITY
  let cursor = wanted.cursor ?? input[cursorName]
  while (left > 0) {
    const page = (await send({ ...input, Limit: Math.min(MAX_PAGE, left), ...(cursor !== undefined && { [cursorName]: cursor }) })) as Page
    const records = recordsIn(page).slice(0, left)
    yield* records
    left -= records.length
    // Events have no last page: an unchanged cursor means that there are no more for now.
    if (page.NextCursor === null || page.NextCursor === cursor) return
    cursor = page.NextCursor
  }
}
