import type { ServerResponse } from 'node:http'
import { type CrmError, ERRORS, problemOf } from '../../contract/errors.ts'
import { challengeOf } from './challenge.ts'

const SECURITY_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'X-Frame-Options',
  'DENY',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'same-origin',
] as const

const DATA_POLICY = ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'", ...SECURITY_HEADERS] as const
/** For data: neither cached nor shown as a page. */
const DATA_HEADERS = ['Cache-Control', 'no-store', ...DATA_POLICY] as const
/** For the contract, which callers may cache as long as they ask whether it has changed. */
export const CONTRACT_HEADERS = ['Cache-Control', 'no-cache', ...DATA_POLICY] as const
/** For the contract of one workspace, which caches that callers share must not keep. */
export const OWN_CONTRACT_HEADERS = ['Cache-Control', 'private, no-cache', ...DATA_POLICY] as const

/** For the documentation and its assets, which load nothing from other origins and have nothing inline. */
export const PAGE_HEADERS = [
  'Cache-Control',
  'no-cache',
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ...SECURITY_HEADERS,
] as const

/** For pages that are made for one person. What is sent from them leads to a CRM and back, so that no policy names where. */
export const PERSONAL_PAGE_HEADERS = [
  'Cache-Control',
  'no-store',
  'Content-Security-Policy',
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'",
  ...SECURITY_HEADERS,
] as const

/** For the console, which loads nothing from other origins and has nothing inline. */
const CONSOLE_POLICY = [
  'Content-Security-Policy',
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ...SECURITY_HEADERS,
] as const
export const CONSOLE_HEADERS = ['Cache-Control', 'no-cache', ...CONSOLE_POLICY] as const
/** For assets with a hash in their name. */
export const IMMUTABLE_HEADERS = ['Cache-Control', 'public, max-age=31536000, immutable', ...CONSOLE_POLICY] as const

/** Header lines, flat: name, value, name, value. */
export type HeaderLines = readonly string[]

export function commonHeaders(requestId: string, type: string, policy: HeaderLines = DATA_HEADERS): string[] {
  return ['Content-Type', type, 'X-Request-Id', requestId, ...policy]
}

/**
 * Sends an answer in one write, on Node's own response: Fastify's `reply.send` does more than is needed, and errors outside of Fastify have
 * to be answered in the same way.
 */
export function respond(
  raw: ServerResponse,
  requestId: string,
  status: number,
  type: string,
  body: string | Buffer,
  more?: HeaderLines,
  policy?: HeaderLines,
): void {
  if (raw.headersSent || raw.destroyed) return
  const lines = commonHeaders(requestId, type, policy)
  const bytes = Buffer.byteLength(body)
  // A 304 has no body, and the length would be taken for that of the content.
  if (status !== 304) lines.push('Content-Length', String(bytes))
  if (more !== undefined) lines.push(...more)
  raw.writeHead(status, lines)
  // Text in ASCII is the same in Latin-1, which Node sends without encoding it.
  raw.end(body, bytes === body.length ? 'latin1' : 'utf8')
}

export const JSON_TYPE = 'application/json; charset=utf-8'
export const PROBLEM_TYPE = 'application/problem+json'

/** Answers with an error as a problem of RFC 9457. */
export function respondProblem(raw: ServerResponse, requestId: string, error: CrmError, more: HeaderLines = []): void {
  respond(raw, requestId, ERRORS[error.code].status, PROBLEM_TYPE, JSON.stringify(problemOf(error, requestId)), [...problemHeaders(error), ...more])
}

export function problemHeaders(error: CrmError): string[] {
  const lines: string[] = []
  if (error.retryAfter !== undefined) lines.push('Retry-After', String(Math.ceil(error.retryAfter)))
  const challenge = challengeOf(error)
  if (challenge !== undefined) lines.push('WWW-Authenticate', challenge)
  return lines
}
