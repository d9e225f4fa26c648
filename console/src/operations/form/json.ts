import { isObject } from '../../data/is-object.ts'

export type Json = { readonly [name: string]: unknown }

/** A copy with a member set, or removed where the value is undefined. The order of members stays. */
export function withMember(object: Json, name: string, value: unknown): Json {
  const entries = Object.entries(object)
  const at = entries.findIndex(([key]) => key === name)
  if (value === undefined) return Object.fromEntries(entries.filter(([key]) => key !== name))
  return Object.fromEntries(at < 0 ? [...entries, [name, value]] : entries.with(at, [name, value]))
}

export interface Parsed {
  readonly value?: Json
  /** Why it cannot be read. */
  readonly fault?: string
}

/** Reads an input; empty text is an empty object. */
export function parseInput(text: string): Parsed {
  if (text.trim() === '') return { value: {} }
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? { value } : { fault: 'The input must be a JSON object: { … }.' }
  } catch (error) {
    return { fault: `This is not JSON: ${(error as Error).message}.` }
  }
}
