import { type Batch, type BatchAnswer, batchOutput } from '../../src/contract/batch.ts'
import { clientOf } from '../../src/contract/client/client.ts'
import type { CallOptions } from '../../src/contract/client/transport.ts'
import { CrmError } from '../../src/contract/errors.ts'
import { findOperation, OPERATIONS } from '../../src/contract/operations.ts'
import { EVENT_TYPES, type Event } from '../../src/contract/records/event.ts'
import type { Connection } from '../../src/testing/index.ts'
import { closed, wrongWith } from './schemas.ts'

const OUTPUTS = new Map(OPERATIONS.map(({ id, output }) => [id, closed(output as never)]))
const EVENTS = new Map(EVENT_TYPES.map(({ type, schema }) => [type, closed(schema as never)]))
const BATCH = closed(batchOutput as never)

/** The connection, with every answer validated against the operation's output schema and every refusal against its declared errors. */
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
        validate(name, input, answer, options)
        return answer
      }
      async function batch(asked: unknown, options: CallOptions = {}): Promise<BatchAnswer> {
        const answer = await crm.batch(asked as Batch, options)
        const { Operations } = asked as Batch
        refuseWrong('batch', wrongWith(BATCH, answer))
        for (const [i, { Result }] of answer.Results.entries()) {
          const { Operation, Input } = Operations[i] ?? { Operation: '' }
          if (Result !== undefined) validate(Operation, Input, Result, options)
        }
        return answer
      }
      return clientOf({ call, batch, follow: crm.events.follow })
    },
  }
}

function validate(name: string, input: unknown, answer: unknown, { dryRun }: CallOptions): void {
  const { id, effect } = findOperation(name)
  if (dryRun && effect !== 'read') return
  const selects = (input as { Select?: unknown } | undefined)?.Select !== undefined
  const wrong = wrongWith(OUTPUTS.get(id) ?? {}, answer)
  refuseWrong(
    id,
    wrong.filter((fault) => !(selects && /^\/Records\/\d+ must have required property/.test(fault))),
  )
  if (id === 'get_many_events')
    for (const event of (answer as { Events: Event[] }).Events) refuseWrong(event.Type, wrongWith(EVENTS.get(event.Type) ?? {}, event))
}

function refuseWrong(what: string, wrong: readonly string[]): void {
  if (wrong.length > 0) throw new Error(`${what} is answered otherwise than its schema says: ${wrong.join('; ')}`)
}
