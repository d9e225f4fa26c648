import { type Crm, clientOf } from '../../../contract/client/client.ts'
import { errorOf, type Problem } from '../../../contract/errors.ts'
import { LIMITS } from '../../../contract/limits.ts'
import { TIERS } from '../../../contract/operation.ts'
import { findOperation } from '../../../contract/operations.ts'
import { callerOf, localAdmin } from '../../../core/access/authenticate.ts'
import { inProcessTransport } from '../../../core/call/in-process.ts'
import type { Service } from '../../../core/service.ts'
import type { Row } from '../cells.ts'
import type { Act } from './scene.ts'

/** The users in whose name the demo writes. */
export interface Actors {
  /** The admin's own client. */
  readonly admin: Crm
  /** Adds a user, whom acts can name from now on. */
  add(user: Row): Promise<void>
  /** Executes acts, and returns their results in the same order. */
  perform(acts: readonly Act[]): Promise<Row[]>
}

/** In process, each act is executed as its own user. */
export async function actorsOn(service: Service, workspace: string | undefined): Promise<Actors> {
  const caller = await localAdmin(service, workspace)
  const clientFor = (one: typeof caller) => clientOf(inProcessTransport(service, () => one, 'cli'))
  const admin = clientFor(caller)
  const users: Crm[] = []
  return {
    admin,
    async add(user) {
      users.push(clientFor(await callerOf(service, caller.workspace, user as never, { keyId: null, scopes: TIERS, expires: null, confirms: null })))
    },
    async perform(acts) {
      const byUser = new Map<number | undefined, Act[]>()
      for (const act of acts) byUser.set(act.by, [...(byUser.get(act.by) ?? []), act])
      const answers = new Map<Act, Row>()
      // Concurrently, so that they share a transaction.
      const shares = [...byUser].map(async ([by, share]) => {
        const results = await execute(by === undefined ? admin : (users[by] as Crm), share)
        for (const [i, act] of share.entries()) answers.set(act, results[i] as Row)
      })
      await Promise.all(shares)
      return acts.map((act) => answers.get(act) as Row)
    },
  }
}

/** Through a server the admin executes everything, and then assigns each new record to its owner. */
export function actorsThrough(admin: Crm): Actors {
  const users: string[] = []
  return {
    admin,
    async add({ UserID }) {
      users.push(UserID as string)
    },
    async perform(acts) {
      const answers = await execute(admin, acts)
      const handed = acts.flatMap(({ by, operation }, i) => {
        const { effect, verb, record } = findOperation(operation)
        const update = by !== undefined && effect === 'create' && verb.startsWith('create') && UPDATES[record.name]
        return update ? [{ by: undefined, operation: update, input: { [record.id]: answers[i]?.[record.id], FieldsToUpdate: { OwnerID: users[by] } } }] : []
      })
      await execute(admin, handed)
      return answers
    },
  }
}

const UPDATES: { readonly [type: string]: string } = {
  Lead: 'update_lead',
  Opportunity: 'update_opportunity',
  Case: 'update_case',
  Company: 'update_company',
  Contact: 'update_contact',
  CustomObject: 'update_custom_object',
}

async function execute(crm: Crm, acts: readonly Act[]): Promise<Row[]> {
  const answers: Row[] = []
  for (let from = 0; from < acts.length; from += LIMITS.batch) {
    const Operations = acts.slice(from, from + LIMITS.batch).map(({ operation, input }) => ({ Operation: operation, Input: input }))
    const { Results } = await crm.batch({ Operations })
    for (const { Result, Error: problem } of Results as { Result?: Row; Error?: Problem }[]) {
      if (problem) throw errorOf(problem)
      answers.push(Result ?? {})
    }
  }
  return answers
}
