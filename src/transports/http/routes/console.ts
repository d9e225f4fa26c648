import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CrmError } from '../../../contract/errors.ts'
import { lazy } from '../../../helpers/lazy.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { CONSOLE_HEADERS, IMMUTABLE_HEADERS } from '../response.ts'
import { respondStatic } from '../static-content.ts'
import { createFiles } from '../static-files.ts'

/** The web console at `/`. Its assets have a hash in their names, so that browsers may cache them for good. */
export function consoleRoutes(app: FastifyInstance, context: Context): void {
  const folder = join(context.built, 'console')
  const files = createFiles(folder)
  const assets = lazy(() => readdir(join(folder, 'assets')))

  app.get(
    '/',
    createHandler(context, async (request, reply) => respondStatic(request, reply, await files.read('index.html'), CONSOLE_HEADERS)),
  )
  app.get(
    '/icon.svg',
    createHandler(context, async (request, reply) => respondStatic(request, reply, await files.read('icon.svg'), CONSOLE_HEADERS)),
  )
  app.get(
    '/assets/:name',
    createHandler(context, async (request: FastifyRequest<{ Params: { name: string } }>, reply) => {
      const { name } = request.params
      // Only names of built files are read, which prevents path traversal.
      if (!(await assets().catch(() => [] as string[])).includes(name))
        throw new CrmError('not_found', 'There is no such asset.', { hint: 'Load the page again: it may be of an older version.' })
      respondStatic(request, reply, await files.read(join('assets', name)), IMMUTABLE_HEADERS)
    }),
  )
}
