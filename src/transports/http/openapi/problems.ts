import { ERROR_TEXTS } from '../../../contract/error-texts.ts'
import { CrmError, ERROR_CODES, ERRORS, type ErrorCode, problemOf } from '../../../contract/errors.ts'
import { PROBLEM_TYPE } from '../response.ts'
import { headers } from './headers.ts'
import type { Json } from './schemas.ts'

/** An RFC 9457 problem, as a schema. */
export function problemSchema(): Json {
  return {
    type: 'object',
    description: 'Why a call was refused (RFC 9457).',
    properties: {
      type: { type: 'string', description: 'Where the code is explained.' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What happened, for people.' },
      code: { type: 'string', enum: ERROR_CODES, description: 'What programs act on.' },
      retryable: { type: 'boolean', description: 'Whether the same call may succeed later.' },
      requestId: { type: 'string' },
      errors: {
        type: 'array',
        description: 'Every fault of the input at once.',
        items: {
          type: 'object',
          properties: {
            field: { type: 'string' },
            code: { type: 'string' },
            message: { type: 'string' },
            expected: { type: 'string' },
            didYouMean: { type: 'string' },
          },
          required: ['field', 'code', 'message'],
        },
      },
      hint: { type: 'string', description: 'What to do about it.' },
      retryAfter: { type: 'number', description: 'Seconds until it is worth trying again.' },
      plan: {
        type: 'object',
        description: 'What waits to be confirmed, where the call has to be.',
        properties: {
          PlanID: { type: 'string' },
          Token: { type: 'string', description: 'The same call with this as Confirmation-Token acts. Absent where only Allow Plan with another key does.' },
          Operation: { type: 'string' },
          RecordType: { type: 'string' },
          RecordID: { type: 'string' },
          ExpiresDate: { type: 'string', format: 'date-time' },
          Preview: { $ref: '#/components/schemas/DryRunAnswer' },
        },
        required: ['PlanID', 'Operation', 'RecordType', 'RecordID', 'ExpiresDate', 'Preview'],
      },
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'retryable', 'requestId'],
  }
}

/** The errors of an operation by HTTP status, as references to shared responses. */
export function refusals(codes: readonly ErrorCode[], responses: Record<string, Json>): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of ERROR_CODES.filter((each) => codes.includes(each))) byStatus.set(ERRORS[code].status, [...(byStatus.get(ERRORS[code].status) ?? []), code])
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const name = group.map(pascal).join('Or')
      responses[name] ??= response(group)
      return [String(status), { $ref: `#/components/responses/${name}` }]
    }),
  )
}

/** Errors that any request may have. */
export function unreadable(): Json {
  return {
    description: 'The request could not be read.',
    headers: headers('X-Request-Id'),
    content: problemContent('invalid_input', 'The request is not valid HTTP.'),
  }
}

function response(codes: readonly ErrorCode[]): Json {
  const [first = 'internal'] = codes
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_TEXTS[code].means}`).join(' '),
    headers: headers('X-Request-Id', ...(codes.some((code) => ERRORS[code].retryable) ? ['Retry-After'] : [])),
    content: problemContent(first, ERROR_TEXTS[first].means),
  }
}

function problemContent(code: ErrorCode, detail: string): Json {
  const example = JSON.parse(JSON.stringify(problemOf(new CrmError(code, detail), '5f0c2d7e9a41-1'))) as Json
  return { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' }, example } }
}

const pascal = (code: string) => code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
