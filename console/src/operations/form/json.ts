export type Json = { readonly [name: string]: unknown }

export const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object with a member set, or without it where it is undefined. Members keep their places. */
export function withMember(object: Json, name: string, value: unknown): Json {
  const entries = Object.entries(object)
  const at = entries.findIndex(([key]) => key === name)
  if (value === undefined) return Object.fromEntries(entries.filter(([key]) => key !== name))
  return Object.fromEntries(at < 0 ? [...entries, [name, value]] : entries.with(at, [name, value]))
}

export interface Parsed {
  readonly value?: Json
  /** Why it is no input, where it is none. */
  readonly fault?: string
}

/** Reads an input as it was typed. Nothing at all is an empty one. */
export function parseInput(text: string): Parsed {
  if (text.trim() === '') return { value: {} }
  try {
    const value: unknown = JSON.parse(text)
    return isJson(value) ? { value } : { fault: 'An input is an object: { … }.' }
  } catch (error) {
    return { fault: `This is not JSON: ${(error as Error).message}.` }
  }
}
