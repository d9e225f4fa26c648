import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { lazy } from '../../../helpers/lazy.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { accepts } from '../ndjson.ts'
import { PAGE_HEADERS, respond } from '../response.ts'
import { respondStatic } from '../static-content.ts'
import { createFiles } from '../static-files.ts'
import { nothingHere } from './not-found.ts'

/** The page for addresses that have none. */
const MISSING = '/404.html'

/** The documentation site at `/docs/`. Pages have addresses with and without `.html`; those of problems, such as `/docs/errors`, are without. */
export function docsRoutes(app: FastifyInstance, context: Context): void {
  const folder = join(context.built, 'docs')
  const files = createFiles(folder)
  const names = lazy(async () => new Set((await readdir(folder, { recursive: true })).map((name) => name.replaceAll('\\', '/'))))

  const answer = createHandler(context, async (request, reply) => {
    const asked = decodeURIComponent(request.url.split('?')[0] ?? '').slice('/docs'.length)
    // Only names of built files are read, which prevents path traversal.
    const known = await names().catch(() => new Set<string>())
    const has = (path: string) => known.has(path.slice(1))
    const page = asked.endsWith('/') ? `${asked}index.html` : [asked, `${asked}.html`].find((path) => path.includes('.') && has(path))
    if (page !== undefined && page !== MISSING && has(page)) return respondStatic(request, reply, await files.read(page), PAGE_HEADERS)
    if (!has(`${asked}/index.html`)) {
      if (!has(MISSING) || !accepts(request.headers.accept, 'text/html')) throw nothingHere()
      const { type, body } = await files.read(MISSING)
      return respond(reply.raw, request.id, 404, type, missingFrom(asked, body.toString()), ['Vary', 'Accept'], PAGE_HEADERS)
    }
    // Relative, so that it also works behind a proxy that adds a path.
    respond(reply.raw, request.id, 302, 'text/plain', '', ['Location', `${asked === '' ? 'docs' : basename(asked)}/`], PAGE_HEADERS)
  })
  app.get('/docs', answer)
  app.get('/docs/*', answer)
}

/** The links of the page lead from the root of the site; it is shown at an address below that. */
function missingFrom(asked: string, html: string): string {
  const up = '../'.repeat(asked.split('/').length - 2)
  return html.replace(/ (?:href|src|data-root)="(?!#|https?:)/g, (attribute) => attribute + up)
}
