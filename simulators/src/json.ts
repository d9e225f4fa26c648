export type Json = { readonly [name: string]: unknown }

/** Whether a value is an object with members: neither null nor a list. */
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
