import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { PAGE } from './answer.ts'
import { type Cached, cached, respondCached } from './cached.ts'
import type { Context } from './context.ts'
import { createFiles } from './files.ts'
import { docsPage, errorsPage } from './pages.ts'
import { answerWith } from './route.ts'

/** The only files there are; whatever else is asked for is no route at all. */
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'page.css', 'docs.css', 'docs.js'] as const

/** `/docs` with its assets, and `/docs/errors`. */
export function docsRoutes(app: FastifyInstance, context: Context): void {
  const files = createFiles(join(context.built, 'docs'))
  const page = (url: string, html: string) => {
    const kept: Cached = cached('text/html; charset=utf-8', html)
    app.get(
      url,
      answerWith(context, (request, reply) => respondCached(request, reply, kept, PAGE)),
    )
  }

  page('/docs', docsPage())
  page('/docs/errors', errorsPage())
  for (const name of FILES) {
    app.get(
      `/docs/${name}`,
      answerWith(context, async (request, reply) => respondCached(request, reply, await files.read(name), PAGE)),
    )
  }
}
