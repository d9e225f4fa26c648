import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../../../contract/operation.ts'
import { findOperation, OPERATIONS } from '../../../contract/operations.ts'
import { readPlatform } from '../../../core/call/acquire-binding.ts'
import { type Extending, operationOn } from '../../../core/call/extension.ts'
import { streams } from '../../../core/call/stream.ts'
import type { Context } from '../context.ts'
import { createHandler } from '../handler.ts'
import { enforceRateLimit } from '../limits/rate-limit.ts'
import { openapiDocument } from '../openapi/openapi.ts'
import { CONTRACT_HEADERS, JSON_TYPE, OWN_CONTRACT_HEADERS } from '../response.ts'
import { respondStatic, type StaticContent, staticContent } from '../static-content.ts'

/** How many workspaces have their documents kept: one takes about a megabyte. */
const MOST_KEPT = 8

/**
 * `GET /v1/operations`, one operation, and `/openapi.json`: the contract, without authentication. With a key they have the fields of its workspace,
 * without one those of the default platform.
 */
export function contractRoutes(app: FastifyInstance, context: Context): void {
  const { service } = context
  const contract = new Map<string, StaticContent>()
  const ofPlatforms = new Map<Extending['supports'], Map<string, StaticContent>>()

  /** The contents with the fields of a platform. What it supports is another object once its fields are others. */
  function contentsOn({ supports }: Extending): Map<string, StaticContent> {
    const contents = ofPlatforms.get(supports) ?? new Map<string, StaticContent>()
    // The most recently used is the last.
    ofPlatforms.delete(supports)
    ofPlatforms.set(supports, contents)
    for (const oldest of ofPlatforms.keys()) {
      if (ofPlatforms.size <= MOST_KEPT) break
      ofPlatforms.delete(oldest)
    }
    return contents
  }

  async function platformFor(request: FastifyRequest, reply: FastifyReply): Promise<Extending> {
    const credentials = context.credentials(request.raw)
    if (credentials === undefined) return service.platform
    const caller = await context.signIn(credentials, request)
    await enforceRateLimit(context, reply.raw, caller)
    return readPlatform(service, caller.workspace)
  }

  function respondJson(request: FastifyRequest, reply: FastifyReply, contents: Map<string, StaticContent>, name: string, make: () => unknown): Promise<void> {
    const content = contents.get(name) ?? staticContent(JSON_TYPE, JSON.stringify(make()))
    contents.set(name, content)
    return respondStatic(request, reply, content, context.credentials(request.raw) === undefined ? CONTRACT_HEADERS : OWN_CONTRACT_HEADERS)
  }

  app.get(
    '/v1/operations',
    createHandler(context, (request, reply) => respondJson(request, reply, contract, '', () => ({ Operations: OPERATIONS.map(entryOf) }))),
  )
  app.get(
    '/openapi.json',
    createHandler(context, async (request, reply) => {
      const platform = await platformFor(request, reply)
      const operations = () => OPERATIONS.map((operation) => operationOn(platform, operation))
      return respondJson(request, reply, contentsOn(platform), 'openapi', () => openapiDocument({ version: context.version, operations: operations() }))
    }),
  )
  app.get<{ Params: { name: string } }>(
    '/v1/operations/:name',
    createHandler(context, async (request, reply) => {
      const operation = findOperation(request.params.name)
      const platform = await platformFor(request, reply)
      return respondJson(request, reply, contentsOn(platform), operation.id, () => detailOf(operationOn(platform, operation)))
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
