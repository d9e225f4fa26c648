import type { Crm } from '../../contract/client/client.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { referencesOf } from '../../contract/record.ts'

export type Row = { readonly [member: string]: unknown }

/** A page of an answer. */
export interface Page {
  readonly rows: readonly Row[]
  readonly next: string | null
}

interface ObjectSchema {
  readonly properties?: { readonly [name: string]: { readonly items?: ObjectSchema } }
}

/** The member of an answer that is a page of records; undefined where none is. */
export function listOf({ output }: Operation): 'Records' | 'Events' | undefined {
  const { properties = {} } = output as ObjectSchema
  return (['Records', 'Events'] as const).find((name) => Object.hasOwn(properties, name) && Object.hasOwn(properties, 'NextCursor'))
}

/** The members of the records on a page. */
export function memberNames(operation: Operation): string[] {
  const included = new Set(referencesOf(operation.record).map(({ name }) => name))
  const names = Object.keys((operation.output as ObjectSchema).properties?.[listOf(operation) ?? '']?.items?.properties ?? {})
  // The records behind references are answered only where they are asked for, and are no columns.
  return names.filter((name) => !included.has(name) || Object.hasOwn(operation.record.fields, name))
}

/** Whether all records can be read, page after page. */
export const isPaged = (operation: Operation) => listOf(operation) === 'Records' && Object.hasOwn((operation.input as ObjectSchema).properties ?? {}, 'Cursor')

export const pageOf = (operation: Operation, answer: Row): Page => ({
  rows: answer[listOf(operation) ?? ''] as readonly Row[],
  next: answer.NextCursor as string | null,
})

/** Every page from here on, one at a time; none after the signal aborts. */
export async function* allPages(crm: Crm, operation: Operation, input: Row, signal: AbortSignal): AsyncGenerator<Page> {
  const { Limit = LIMITS.page, ...rest } = input
  let Cursor = rest.Cursor
  do {
    const page = pageOf(operation, (await crm.call(operation.id, { ...rest, Limit, ...(Cursor !== undefined && { Cursor }) }, { signal })) as Row)
    yield page
    Cursor = page.next
  } while (Cursor !== null && !signal.aborted)
}
