import { type Extent, JsonExtent } from '../helpers/json-extent.ts'
import { CrmError } from './errors.ts'
import { LIMITS } from './limits.ts'

const encoder = new TextEncoder()

/** The refusal of a JSON text that holds more than an input may. Judged before the text is parsed. */
export function extentRefusal(text: string | Uint8Array, what: string, values: number = LIMITS.values): CrmError | undefined {
  const exceeded = new JsonExtent({ values, depth: LIMITS.depth }).add(typeof text === 'string' ? encoder.encode(text) : text)
  return exceeded && exceededRefusal(exceeded, what, values)
}

/** The refusal of what exceeds a limit. */
export function exceededRefusal(exceeded: keyof Extent, what: string, values: number): CrmError {
  switch (exceeded) {
    case 'values':
      return new CrmError('too_large', `${what} holds more than ${values.toLocaleString('en')} values.`, { hint: 'Send less in one call.' })
    case 'items': {
      const message = `Operations has more than ${LIMITS.batch} members.`
      return new CrmError('invalid_input', `The batch is invalid: ${message}`, {
        errors: [{ field: 'Operations', code: 'count', message, expected: `at most ${LIMITS.batch}` }],
      })
    }
    case 'item':
      return new CrmError('too_large', `${what} holds a call of more than ${LIMITS.bodyBytes.toLocaleString('en')} bytes.`, { hint: 'Send less in one call.' })
    case 'depth': {
      const message = `${what} is nested more than ${LIMITS.depth} levels deep.`
      return new CrmError('invalid_input', message, { errors: [{ field: 'input', code: 'form', message, expected: `at most ${LIMITS.depth} levels` }] })
    }
  }
}
