/** Whether a value is an object with members: neither null nor a list. */
export const isObject = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
