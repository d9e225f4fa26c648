import type { Batch } from '../../src/contract/batch.ts'
import { type CallOptions, clientOf } from '../../src/contract/client.ts'
import { CrmError } from '../../src/contract/errors.ts'
import { findOperation, OPERATIONS } from '../../src/contract/operations.ts'
import type { Connection } from '../../src/testing/index.ts'
import { closed, wrongWith } from './schemas.ts'

const OUTPUTS = new Map(OPERATIONS.map(({ id, output }) => [id, closed(output as never)]))

/** The same connection, with every answer validated by the operation's output schema and every refusal by the errors it declares. */
export function validated(connection: Connection): Connection {
  return {
    ...connection,
    signIn(key) {
      const crm = connection.signIn(key)
      async function call(name: string, input: unknown, options: CallOptions = {}) {
        const answer = await crm.call(name, input, options).catch((error: unknown) => {
          const operation = OPERATIONS.find(({ id }) => id === name)
          if (operation && error instanceof CrmError && !operation.errors.includes(error.code))
            throw new Error(`${name} does not declare that it may refuse with ${error.code}`, { cause: error })
          throw error
        })
        if (options.dryRun) return answer
        const { id, record } = findOperation(name)
        const selects = (input as { Select?: unknown } | undefined)?.Select !== undefined
        const wrong = wrongWith(OUTPUTS.get(id) ?? {}, answer).filter((fault) => !(selects && /^\/Records\/\d+ must have required property/.test(fault)))
        if (wrong.length > 0) throw new Error(`${id} answers otherwise than the schema of its output (${record.name}): ${wrong.join('; ')}`)
        return answer
      }
      return clientOf({ call, batch: (batch, options) => crm.batch(batch as Batch, options) })
    },
  }
}
