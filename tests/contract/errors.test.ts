import { describe, expect, test } from 'vitest'
import { ERROR_TEXTS } from '../../src/contract/error-texts.ts'
import { CrmError, ERROR_CODES, ERRORS, type ErrorCode, errorOf, type Problem, problemOf } from '../../src/contract/errors.ts'
import { EXIT_CODES } from '../../src/contract/exit-codes.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'

/** The whole table: HTTP status, exit code, retryable. A program relies on each of them. */
const TABLE: { readonly [code in ErrorCode]: readonly [status: number, exit: number, retryable: boolean] } = {
  invalid_input: [400, 2, false],
  unauthenticated: [401, 3, false],
  forbidden: [403, 3, false],
  not_found: [404, 4, false],
  conflict: [409, 5, false],
  in_progress: [409, 7, true],
  too_large: [413, 2, false],
  unsupported: [422, 6, false],
  too_expensive: [422, 2, false],
  platform_rejected: [422, 8, false],
  rate_limited: [429, 7, true],
  platform_unavailable: [503, 7, true],
  outcome_unknown: [504, 9, true],
  internal: [500, 1, false],
}

describe('the table of errors', () => {
  test('is complete and as published', () => {
    expect(Object.fromEntries(ERROR_CODES.map((code) => [code, [ERRORS[code].status, EXIT_CODES[code], ERRORS[code].retryable]]))).toEqual(TABLE)
  })

  test('says of each what it means', () => {
    for (const { title, means } of Object.values(ERROR_TEXTS)) {
      expect(title).toMatch(/^[A-Z]/)
      expect(means).toMatch(/^[A-Z].*\.$/)
    }
    expect(new Set(Object.values(ERROR_TEXTS).map(({ title }) => title)).size).toBe(ERROR_CODES.length)
  })

  test.each(ERROR_CODES)('%s travels as a problem and comes back the same', (code) => {
    const error = new CrmError(code, 'What happened.', {
      errors: [{ field: 'Email', code: 'form', message: 'Email is wrong.', expected: 'an @', didYouMean: 'x' }],
      hint: 'Do this.',
      retryAfter: 3,
    })
    const problem = JSON.parse(JSON.stringify(problemOf(error, 'r1'))) as Problem
    expect(problem).toEqual({
      type: `/docs/errors#${code}`,
      title: ERROR_TEXTS[code].title,
      status: TABLE[code][0],
      detail: 'What happened.',
      code,
      retryable: TABLE[code][2],
      requestId: 'r1',
      errors: error.errors,
      hint: 'Do this.',
      retryAfter: 3,
    })
    const back = errorOf(problem)
    expect([back.code, back.message, back.errors, back.hint, back.retryAfter, back.retryable]).toEqual([
      code,
      error.message,
      error.errors,
      error.hint,
      3,
      error.retryable,
    ])
  })

  test('a problem with a code from elsewhere is a fault of ours', () => {
    expect(errorOf({ ...problemOf(new CrmError('conflict', 'x'), 'r'), code: 'toString' as ErrorCode }).code).toBe('internal')
    expect(errorOf({ ...problemOf(new CrmError('conflict', 'x'), 'r'), code: 'teapot' as ErrorCode }).code).toBe('internal')
  })

  test('an error that no retry helps with says so, whatever its code', () => {
    const problem = problemOf(new CrmError('platform_unavailable', 'x', { retryable: false }), 'r')
    expect([problem.retryable, errorOf(problem).retryable]).toEqual([false, false])
    expect(problemOf(new CrmError('platform_unavailable', 'x'), 'r').retryable).toBe(true)
  })

  test('a bare error leaves out what it does not have', () => {
    expect(Object.keys(problemOf(new CrmError('not_found', 'x'), 'r')).sort()).toEqual(['code', 'detail', 'requestId', 'retryable', 'status', 'title', 'type'])
  })

  test('operations declare errors of the table, each once', () => {
    for (const { id, errors } of OPERATIONS) {
      expect(new Set(errors).size, id).toBe(errors.length)
      for (const code of errors) expect(ERROR_CODES).toContain(code)
    }
  })
})
