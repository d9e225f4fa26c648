import type { IDataObject } from 'n8n-workflow'
import type { Input } from './input.ts'
import { ParameterFault } from './parameter-fault.ts'

/** As many records as the service puts in one page. */
const LARGEST = 1000

interface Page extends IDataObject {
  NextCursor: string | null
}

export interface Wanted {
  /** How many at most; all of them where it is not given. */
  readonly limit: number | undefined
  readonly cursor: string | undefined
}

/** The records of a page: of events they have another name, and so has the place to go on from. */
export const recordsIn = (page: IDataObject) => (page.Records ?? page.Events ?? []) as IDataObject[]

/** How many records are wanted. */
export function limitOf(given: unknown): number {
  const limit = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1) return limit
  throw new ParameterFault('Limit', 'Limit must be a whole number from 1 on.', { hint: 'Return All is there for as many as there are.' })
}

/** Follows the pages of an operation until there are as many records as wanted, or no more. */
export async function* recordsOf(
  ask: (input: Input) => Promise<IDataObject>,
  input: Input,
  forms: readonly string[],
  wanted: Wanted,
): AsyncGenerator<IDataObject> {
  const place = forms.includes('After') ? 'After' : 'Cursor'
  let left = wanted.limit ?? Number.POSITIVE_INFINITY
  let cursor = wanted.cursor ?? input[place]
  while (left > 0) {
    const page = (await ask({ ...input, Limit: Math.min(LARGEST, left), ...(cursor !== undefined && { [place]: cursor }) })) as Page
    const records = recordsIn(page).slice(0, left)
    yield* records
    left -= records.length
    // Events never end; there are no more for now where the cursor stays.
    if (page.NextCursor === null || page.NextCursor === cursor) return
    cursor = page.NextCursor
  }
}
