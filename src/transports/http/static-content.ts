import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, gzip, constants as zlib } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { lazy } from '../../helpers/lazy.ts'
import { type HeaderLines, respond } from './response.ts'

/** Content that does not change while the process runs. */
export interface StaticContent {
  readonly type: string
  readonly body: Buffer
  /** The digest in its ETags: each encoding has its own ETag, since its bytes differ. */
  readonly digest: string
  /** The compressed body, made when first asked for; undefined where compression saves little. */
  readonly compressed: { readonly [E in Encoding]: () => Promise<Buffer> } | undefined
}

type Encoding = (typeof ENCODINGS)[number]

/** The smallest first. */
const ENCODINGS = ['br', 'gzip'] as const

/** What is smaller fits into one packet anyway. */
const MIN_COMPRESSED = 1024
/** Nearly as small as with the default, in a tenth of the time. */
const BROTLI_QUALITY = 9

export function staticContent(type: string, body: string | Buffer): StaticContent {
  const buffer = Buffer.from(body)
  const digest = createHash('sha256').update(buffer).digest('base64url').slice(0, 22)
  const isCompressible = buffer.length >= MIN_COMPRESSED && type !== 'image/png'
  const compressed = {
    br: lazy(() => promisify(brotliCompress)(buffer, { params: { [zlib.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })),
    gzip: lazy(() => promisify(gzip)(buffer)),
  }
  return { type, body: buffer, digest, compressed: isCompressible ? compressed : undefined }
}

/** Answers with the content, compressed where the caller accepts that, or with 304 where the caller has it cached in any encoding. */
export async function respondStatic(request: FastifyRequest, reply: FastifyReply, content: StaticContent, policy?: HeaderLines): Promise<void> {
  const { type, body, digest, compressed } = content
  const encoding = compressed && ENCODINGS.find((name) => accepts(request.headers['accept-encoding'], name))
  const lines = ['ETag', `"${digest}${encoding ? `-${encoding}` : ''}"`]
  if (compressed) lines.push('Vary', 'Accept-Encoding')
  const cached = request.headers['if-none-match']
  if (cached?.includes(digest) || cached === '*') return respond(reply.raw, request.id, 304, type, '', lines, policy)
  if (!compressed || !encoding) return respond(reply.raw, request.id, 200, type, body, lines, policy)
  respond(reply.raw, request.id, 200, type, await compressed[encoding](), [...lines, 'Content-Encoding', encoding], policy)
}

/** Whether an Accept-Encoding header names an encoding, other than to exclude it with `q=0`. */
function accepts(header: string | string[] | undefined, encoding: Encoding): boolean {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .some((part) => {
      const [name = '', ...parameters] = part.split(';').map((word) => word.trim())
      return name === encoding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
    })
}
