import { visible } from '../../contract/visible-text.ts'

/** A value as JSON, in which every character is seen. What it holds can be taken neither for words of the server nor for another value. */
export function quoted(value: unknown): string {
  return visible(JSON.stringify(value) ?? 'null')
}

/** A name, quoted unless it is one word. */
export function quotedName(name: string): string {
  return /^\w+$/.test(name) ? name : quoted(name)
}

/** A value of a choice, quoted where it could be taken for several, or for words about them. */
export function quotedChoice(value: string): string {
  return /^[\p{L}\p{N}][\p{L}\p{N} _./&+-]*$/u.test(value) && visible(value) === value ? value : quoted(value)
}
