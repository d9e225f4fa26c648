import type { Client } from '@modelcontextprotocol/client'
import { clientOf } from '../../src/contract/client/client.ts'
import type { CallOptions, Transport } from '../../src/contract/client/transport.ts'
import { CrmError, errorOf, type Problem } from '../../src/contract/errors.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { findOperation } from '../../src/contract/operations.ts'
import type { WaitingPlan } from '../../src/contract/waiting-plan.ts'
import type { Connection } from '../../src/testing/index.ts'
import { DEFAULT_HINTS } from '../../src/transports/mcp/error-hints.ts'
import { BUDGET, optionSchemas } from '../../src/transports/mcp/option-arguments.ts'
import { TOOLS } from '../../src/transports/mcp/tools.ts'
import { connect } from '../../src/transports/sdk/connect.ts'
import { behindServer } from './behind-server.ts'
import { openMcp, type Revision } from './mcp.ts'

const tools = new Set(TOOLS.map(({ id }) => id))

/**
 * The connector behind `/mcp` of a real server, called by the official client. Batches, live events and administration have no tools and go
 * over HTTP, as does what tools do not accept: an input that is not an object, and a token where no confirmation is needed.
 */
export async function overMcp(revision: Revision, platform?: Parameters<typeof behindServer>[0]): Promise<Connection> {
  const { server, connection } = await behindServer(platform)
  const ends: (() => Promise<void>)[] = []
  return {
    ...connection,
    signIn(key) {
      const http = connect({ baseUrl: server.url, key })
      const tool = toolCaller(server.url, key, revision)
      ends.push(tool.end)
      const transport: Transport = {
        batch: (batch, options) => http.batch(batch as never, options),
        follow: (options) => http.events.follow(options),
        call(name, input, options) {
          const operation = findOperation(name)
          const confirms = options?.confirmation === undefined || 'ConfirmationToken' in optionSchemas(operation)
          const isTool = tools.has(operation.id) && confirms && typeof input === 'object' && input !== null && !Array.isArray(input)
          return isTool ? tool.call(operation, input, options) : http.call(operation.id, input, options)
        },
      }
      return clientOf(transport)
    },
    async close() {
      for (const end of ends) await end()
      await connection.close()
    },
  }
}

/** Converts a refusal to its form over HTTP, where call options are not arguments, and hints name URLs or are omitted. */
function asOverHttp(operation: Operation, { hint, errors, ...problem }: Problem): Problem {
  const steering = Object.keys(optionSchemas(operation))
  const theirs = errors?.map(({ expected, ...fault }) => {
    const names = fault.code === 'unknown' ? expected?.split(', ').filter((name) => !steering.includes(name)) : undefined
    return { ...fault, ...(expected !== undefined && { expected: names?.join(', ') ?? expected }) }
  })
  const address = problem.code === 'invalid_input' ? `GET /v1/operations/${operation.id} shows the input that is expected.` : undefined
  const there = hint === DEFAULT_HINTS[problem.code] ? address : hint
  return { ...problem, ...(theirs && { errors: theirs }), ...(there !== undefined && { hint: there }) }
}

function toolCaller(url: string, key: string, revision: Revision) {
  const clients = new Map<string, Promise<Client>>()
  let refusal: CrmError | undefined
  /** Refusals before the tool is reached, such as an invalid key, are HTTP problems, which the client turns into errors of its own. */
  const refusing: typeof fetch = async (url, init) => {
    const response = await fetch(url, init)
    if (response.headers.get('content-type') === 'application/problem+json') {
      refusal = errorOf((await response.json()) as Problem)
      throw refusal
    }
    return response
  }
  const opened = (query: string) => {
    const client = clients.get(query) ?? openMcp(url, key, { revision, query, fetch: refusing })
    clients.set(query, client)
    return client
  }
  return {
    async call(operation: Operation, input: object, { idempotencyKey, dryRun, confirm, confirmation, onOutcome }: CallOptions = {}): Promise<unknown> {
      const { id, effect } = operation
      const writes = effect !== 'read' && {
        ...(idempotencyKey !== undefined && { IdempotencyKey: idempotencyKey }),
        ...(dryRun && { DryRun: true }),
        ...(confirmation !== undefined && { ConfirmationToken: confirmation }),
      }
      const call = async () =>
        (await opened(confirm ? `?confirm=${confirm === true ? 'deletes' : confirm}` : '')).callTool({
          name: id,
          arguments: { ...input, ...writes, Detail: 'full', Budget: BUDGET.max },
        })
      const { structuredContent = {}, isError, _meta } = await call().catch((error) => Promise.reject(refusal ?? error))
      if (isError) throw errorOf(asOverHttp(operation, structuredContent as unknown as Problem))
      const { ConfirmationRequired, ConfirmationToken: Token, Plan } = structuredContent as { [member: string]: unknown }
      if (ConfirmationRequired)
        throw new CrmError('conflict', 'It has to be confirmed.', {
          plan: { ...(Plan as WaitingPlan), ...(Token !== undefined && { Token: Token as string }) },
        })
      onOutcome?.({ changeId: _meta?.ChangeID as string | undefined, replayed: _meta?.Replayed === true })
      return structuredContent
    },
    async end() {
      for (const client of clients.values()) await client.then((one) => one.close()).catch(() => {})
    },
  }
}
