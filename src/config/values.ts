import { nearest } from '../contract/names.ts'

/** The file that settings may come from, in the working directory. */
export const FILE = 'crm.config.json'

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
export const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string')

/** The name that was meant, to be part of a fault. */
export function near(name: string, known: readonly string[]): { didYouMean?: string } {
  const [didYouMean] = nearest(name, known)
  return didYouMean === undefined ? {} : { didYouMean }
}
