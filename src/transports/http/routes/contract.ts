import type { FastifyInstance } from 'fastify'
import type { Operation } from '../../../contract/operation.ts'
import { findOperation, OPERATIONS } from '../../../contract/operations.ts'
import { operationOn } from '../../../core/call/extension.ts'
import { streams } from '../../../core/call/stream.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { openapiDocument } from '../openapi/openapi.ts'
import { CONTRACT_HEADERS, JSON_TYPE } from '../response.ts'
import { respondStatic, type StaticContent, staticContent } from '../static-content.ts'

/** `GET /v1/operations`, one operation, and `/openapi.json`: the contract, without authentication. */
export function contractRoutes(app: FastifyInstance, context: Context): void {
  // The caller is not authenticated, so the extensions are those of the default platform.
  const here = (operation: Operation) => operationOn(context.service.platform, operation)
  const contents = new Map<string, StaticContent>()
  const contentOf = (name: string, make: () => unknown): StaticContent => {
    const content = contents.get(name) ?? staticContent(JSON_TYPE, JSON.stringify(make()))
    contents.set(name, content)
    return content
  }

  app.get(
    '/v1/operations',
    createHandler(context, (request, reply) =>
      respondStatic(
        request,
        reply,
        contentOf('', () => ({ Operations: OPERATIONS.map(entryOf) })),
        CONTRACT_HEADERS,
      ),
    ),
  )
  app.get(
    '/openapi.json',
    createHandler(context, (request, reply) => {
      const document = () => openapiDocument({ version: context.version, operations: OPERATIONS.map(here) })
      return respondStatic(request, reply, contentOf('openapi', document), CONTRACT_HEADERS)
    }),
  )
  app.get<{ Params: { name: string } }>(
    '/v1/operations/:name',
    createHandler(context, async (request, reply) => {
      const operation = here(findOperation(request.params.name))
      return respondStatic(
        request,
        reply,
        contentOf(operation.id, () => detailOf(operation)),
        CONTRACT_HEADERS,
      )
    }),
  )
}

function entryOf(operation: Operation) {
  const { id, name, method, record, effect, tier, summary, extension, example } = operation
  return { id, name, method, recordType: record.name, effect, tier, summary, extension, streams: streams(operation), path: `/v1/operations/${id}`, example }
}

function detailOf(operation: Operation) {
  const { description, input, output, errors } = operation
  return { ...entryOf(operation), description, input, output, errors }
}
