import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { PAGE_HEADERS } from '../response.ts'
import { respondStatic, type StaticContent, staticContent } from '../static-content.ts'
import { createFiles } from '../static-files.ts'
import { docsPage, errorsPage } from './docs-pages.ts'

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'page.css', 'docs.css', 'docs.js'] as const

/** `/docs` with its assets, and `/docs/errors`. */
export function docsRoutes(app: FastifyInstance, context: Context): void {
  const files = createFiles(join(context.built, 'docs'))
  const page = (url: string, html: string) => {
    const content: StaticContent = staticContent('text/html; charset=utf-8', html)
    app.get(
      url,
      createHandler(context, async (request, reply) => respondStatic(request, reply, content, PAGE_HEADERS)),
    )
  }

  page('/docs', docsPage())
  page('/docs/errors', errorsPage())
  for (const name of FILES) {
    app.get(
      `/docs/${name}`,
      createHandler(context, async (request, reply) => respondStatic(request, reply, await files.read(name), PAGE_HEADERS)),
    )
  }
}
