import type { IncomingMessage } from 'node:http'
import { CrmError } from '../../contract/errors.ts'
import { readBody } from './body.ts'

const FORM = /^application\/x-www-form-urlencoded(?:\s*;\s*charset="?utf-?8"?)?$/i
const MAX_BYTES = 16_384

/** The parameters in a body, as forms and OAuth send them. */
export async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const body = await readBody(request, MAX_BYTES, undefined, (type, encoding) =>
    FORM.test(type ?? '') && (encoding ?? 'identity') === 'identity'
      ? undefined
      : new CrmError('invalid_input', 'The body must be application/x-www-form-urlencoded.', { hint: 'Send the parameters as a form.' }),
  )
  if (body instanceof CrmError) throw body
  return new URLSearchParams(body.toString('utf8'))
}
