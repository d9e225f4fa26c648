import type { FastifyInstance } from 'fastify'
import { PAGE } from './answer.ts'
import { createAssets } from './assets.ts'
import { type Cached, cached, respondCached } from './cached.ts'
import type { Context } from './context.ts'
import { docsPage, errorsPage, frontPage } from './pages.ts'
import { answerWith } from './route.ts'

/** `/docs` with its assets, `/docs/errors`, and the page at `/`. */
export function docsRoutes(app: FastifyInstance, context: Context): void {
  const assets = createAssets(context.assets)
  const page = (url: string, html: string) => {
    const kept: Cached = cached('text/html; charset=utf-8', html)
    app.get(
      url,
      answerWith(context, (request, reply) => respondCached(request, reply, kept, PAGE)),
    )
  }

  page('/', frontPage(context.version))
  page('/docs', docsPage())
  page('/docs/errors', errorsPage())
  for (const name of assets.names) {
    app.get(
      `/docs/${name}`,
      answerWith(context, async (request, reply) => respondCached(request, reply, await assets.read(name), PAGE)),
    )
  }
}
