import type { FastifyInstance } from 'fastify'
import type { Operation } from '../../../contract/operation.ts'
import { findOperation, OPERATIONS } from '../../../contract/operations.ts'
import { operationOn } from '../../../core/call/extension.ts'
import { streams } from '../../../core/call/stream.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { openapiDocument } from '../openapi/openapi.ts'
import { JSON_TYPE } from '../response.ts'
import { respondStatic, type StaticContent, staticContent } from '../static-content.ts'

/** `GET /v1/operations`, one operation, and `/openapi.json`: the contract, without authentication. */
export function contractRoutes(app: FastifyInstance, context: Context): void {
  // The caller is not authenticated, so the extensions are those of the default platform.
  const here = (operation: Operation) => operationOn(context.service.platform, operation)
  const list = once(() => JSON.stringify({ Operations: OPERATIONS.map(entryOf) }))
  const document = once(() => JSON.stringify(openapiDocument({ version: context.version, operations: OPERATIONS.map(here) })))

  app.get(
    '/v1/operations',
    createHandler(context, async (request, reply) => respondStatic(request, reply, list())),
  )
  app.get(
    '/openapi.json',
    createHandler(context, async (request, reply) => respondStatic(request, reply, document())),
  )
  app.get<{ Params: { name: string } }>(
    '/v1/operations/:name',
    createHandler(context, async (request, reply) =>
      respondStatic(request, reply, staticContent(JSON_TYPE, JSON.stringify(detailOf(here(findOperation(request.params.name)))))),
    ),
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

function once(make: () => string): () => StaticContent {
  let made: StaticContent | undefined
  return () => {
    made ??= staticContent(JSON_TYPE, make())
    return made
  }
}
