import { type Batch, type BatchAnswer, batchOutput } from '../../src/contract/batch.ts'
import { clientOf } from '../../src/contract/client/client.ts'
import type { CallOptions } from '../../src/contract/client/transport.ts'
import { CrmError } from '../../src/contract/errors.ts'
import { findOperation, OPERATIONS } from '../../src/contract/operations.ts'
import { nameBehind } from '../../src/contract/record.ts'
import { EVENT_TYPES, type Event } from '../../src/contract/records/event.ts'
import type { Connection } from '../../src/testing/index.ts'
import { closed, wrongWith } from './schemas.ts'

const OUTPUTS = new Map(OPERATIONS.map(({ id, output }) => [id, closed(output as never)]))
const EVENTS = new Map(EVENT_TYPES.map(({ type, schema }) => [type, closed(schema as never)]))
const BATCH = closed(batchOutput as never)

/** The connection, with every answer validated against the operation's output schema and every refusal against its declared errors. */
export function validated(connection: Connection): Connection {
  const own = new Set<string>()

  async function readOwn(): Promise<void> {
    for (const key of [connection.adminKey, connection.otherAdminKey])
      for (const { Fields } of (await connection.signIn(key).describe({})).RecordTypes)
        for (const { Name, Own } of Fields) if (Own) for (const name of [Name, nameBehind(Name)]) own.add(name)
  }

  /** Leaves out that there are fields which a workspace has defined, now or before. */
  async function withoutOwn(wrong: readonly string[]): Promise<string[]> {
    const isOwn = (fault: string) => own.has(/"additionalProperty":"(\w+)"/.exec(fault)?.[1] ?? '')
    if (!wrong.every(isOwn)) await readOwn()
    const others = wrong.filter((fault) => !isOwn(fault))
    // An event shows a record or null: of a record with such fields it is also said that it is not null.
    return others.length < wrong.length ? others.filter((fault) => !/^\/Record must (be null|match a schema in anyOf)/.test(fault)) : others
  }

  async function validate(name: string, input: unknown, answer: unknown, { dryRun }: CallOptions): Promise<void> {
    const { id, effect } = findOperation(name)
    if (dryRun && effect !== 'read') return
    const selects = (input as { Select?: unknown } | undefined)?.Select !== undefined
    const wrong = wrongWith(OUTPUTS.get(id) ?? {}, answer)
    refuseWrong(id, await withoutOwn(wrong.filter((fault) => !(selects && /^\/Records\/\d+ must have required property/.test(fault)))))
    if (id === 'get_many_events')
      for (const event of (answer as { Events: Event[] }).Events) refuseWrong(event.Type, await withoutOwn(wrongWith(EVENTS.get(event.Type) ?? {}, event)))
  }

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
        await validate(name, input, answer, options)
        return answer
      }
      async function batch(asked: unknown, options: CallOptions = {}): Promise<BatchAnswer> {
        const answer = await crm.batch(asked as Batch, options)
        const { Operations } = asked as Batch
        refuseWrong('batch', wrongWith(BATCH, answer))
        for (const [i, { Result }] of answer.Results.entries()) {
          const { Operation, Input } = Operations[i] ?? { Operation: '' }
          if (Result !== undefined) await validate(Operation, Input, Result, options)
        }
        return answer
      }
      return clientOf({ call, batch, follow: crm.events.follow })
    },
  }
}

function refuseWrong(what: string, wrong: readonly string[]): void {
  if (wrong.length > 0) throw new Error(`${what} is answered otherwise than its schema says: ${wrong.join('; ')}`)
}
