import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { CrmError } from '../../contract/errors.ts'
import { CONSOLE, FOREVER } from './answer.ts'
import { respondCached } from './cached.ts'
import type { Context } from './context.ts'
import { createFiles } from './files.ts'
import { answerWith } from './route.ts'

/** The web console at `/`. The names of its assets change with what is in them, so that a browser may keep them. */
export function consoleRoutes(app: FastifyInstance, context: Context): void {
  const folder = join(context.built, 'console')
  const files = createFiles(folder)
  let names: Promise<readonly string[]> | undefined

  app.get(
    '/',
    answerWith(context, async (request, reply) => respondCached(request, reply, await files.read('index.html'), CONSOLE)),
  )
  app.get(
    '/icon.svg',
    answerWith(context, async (request, reply) => respondCached(request, reply, await files.read('icon.svg'), CONSOLE)),
  )
  app.get(
    '/assets/:name',
    answerWith(context, async (request: FastifyRequest<{ Params: { name: string } }>, reply) => {
      const { name } = request.params
      names ??= readdir(join(folder, 'assets')).catch(() => [])
      // Only what was built is there, whatever the name looks like.
      if (!(await names).includes(name))
        throw new CrmError('not_found', 'There is no such asset.', { hint: 'Load the page again: it may be of an older version.' })
      respondCached(request, reply, await files.read(join('assets', name)), FOREVER)
    }),
  )
}
