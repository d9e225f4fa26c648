import { quoted, quotedName } from '../../contract/visible-text.ts'
import { isObject } from '../../helpers/is-object.ts'
import { CutText, type Members } from './truncate.ts'

/**
 * An answer as text, for clients that show only text, with all that the structured content has: `Name: value`, a line for each member, and for each
 * record of a list one that begins with a dash. Values are quoted as in JSON, so that none can be taken for another member, for a record or for words of
 * the server, which are not quoted.
 */
export function renderText(answer: Members, leftOut?: string): string {
  const lines = Object.entries(answer).flatMap(([name, value]) => (isList(value) ? listLines(name, value) : [`${quotedName(name)}: ${renderValue(value)}`]))
  return withLeftOut(lines, leftOut)
}

/** The same as JSON, where nothing is left out for brevity. */
export function renderJson(answer: Members, leftOut?: string): string {
  return quoted({ ...answer, ...(leftOut !== undefined && { LeftOut: leftOut }) })
}

export function withLeftOut(lines: readonly string[], leftOut: string | undefined): string {
  return [...lines, ...(leftOut === undefined ? [] : [`Left out: ${leftOut}`])].join('\n')
}

const isList = (value: unknown): value is readonly Members[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && !(one instanceof CutText))

function listLines(name: string, records: readonly Members[]): string[] {
  return [`${quotedName(name)} (${records.length}):`, ...records.map((record) => `- ${renderMembers(record)}`)]
}

export function renderMembers(record: Members): string {
  return Object.entries(record)
    .map(([name, value]) => `${quotedName(name)}: ${renderValue(value)}`)
    .join(', ')
}

export function renderValue(value: unknown): string {
  if (value instanceof CutText) return `${quoted(value.head)}${value.mark}`
  if (Array.isArray(value)) return `[${value.map(renderValue).join(', ')}]`
  return isObject(value) ? `{${renderMembers(value)}}` : quoted(value)
}
