import { CrmError } from '../contract/errors.ts'

/** An answer, or undefined where the caller may not ask. */
export async function unlessForbidden<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof CrmError && error.code === 'forbidden') return undefined
    throw error
  }
}
