import { exceeds } from '../helpers/json-extent.ts'
import { CrmError } from './errors.ts'
import { LIMITS } from './limits.ts'

/** The refusal of a JSON text that holds more than an input may. Judged before the text is parsed. */
export function extentRefusal(text: string, what: string, values: number = LIMITS.values): CrmError | undefined {
  switch (exceeds(text, { values, depth: LIMITS.depth })) {
    case 'values':
      return new CrmError('too_large', `${what} holds more than ${values.toLocaleString('en')} values.`, { hint: 'Send less in one call.' })
    case 'depth': {
      const message = `${what} is nested more than ${LIMITS.depth} levels deep.`
      return new CrmError('invalid_input', message, { errors: [{ field: 'input', code: 'form', message, expected: `at most ${LIMITS.depth} levels` }] })
    }
    case undefined:
      return undefined
  }
}
