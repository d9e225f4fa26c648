import { Refusal } from '../errors.ts'
import type { Org } from '../org.ts'

/** The results of a call on several items, each of which succeeds or fails by itself. A failed one is shown with its `name`. */
export function eachResult<T>(org: Org, items: readonly T[], work: (item: T) => object, name: (item: T) => object): object[] {
  return items.map((item) => {
    try {
      return { ...org.atomically(() => work(item)), success: true }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const { errorCode, message } = error.wrong
      return { errors: { message, statusCode: errorCode }, ...name(item), success: false }
    }
  })
}
