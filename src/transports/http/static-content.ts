import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type HeaderLines, respond } from './response.ts'

/** Content that does not change while the process runs. */
export interface StaticContent {
  readonly type: string
  readonly body: Buffer
  readonly etag: string
  /** Undefined where compression saves nothing. */
  readonly gzipped?: Buffer
}

export function staticContent(type: string, body: string | Buffer, gzipped?: Buffer): StaticContent {
  const buffer = Buffer.from(body)
  const etag = `"${createHash('sha256').update(buffer).digest('base64url').slice(0, 22)}"`
  return { type, body: buffer, etag, ...(gzipped && { gzipped }) }
}

/** Answers with the content, or 304 where the caller has it cached. */
export function respondStatic(request: FastifyRequest, reply: FastifyReply, { type, body, etag, gzipped }: StaticContent, policy?: HeaderLines): void {
  const lines = ['ETag', etag]
  if (gzipped) lines.push('Vary', 'Accept-Encoding')
  if (request.headers['if-none-match']?.includes(etag)) respond(reply.raw, request.id, 304, type, '', lines, policy)
  else if (gzipped && /\bgzip\b/.test(request.headers['accept-encoding'] ?? ''))
    respond(reply.raw, request.id, 200, type, gzipped, [...lines, 'Content-Encoding', 'gzip'], policy)
  else respond(reply.raw, request.id, 200, type, body, lines, policy)
}
