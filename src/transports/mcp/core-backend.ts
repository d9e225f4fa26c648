import type { BatchAnswer } from '../../contract/batch.ts'
import type { CrmError } from '../../contract/errors.ts'
import { operationNamed } from '../../contract/operations.ts'
import { refusePlan } from '../../contract/records/plan.ts'
import { readPlatform } from '../../core/call/acquire-binding.ts'
import { inProcessTransport } from '../../core/call/in-process.ts'
import { clientSessions } from '../../core/journal/client-sessions.ts'
import { followEvents } from '../../core/journal/follow.ts'
import { awaitReply, planIn, questionId, recordReply } from '../../core/journal/questions.ts'
import { SeenRevisions } from '../../core/remarks/seen-revisions.ts'
import type { Caller, Service } from '../../core/service.ts'
import type { Backend } from './backend.ts'

/** Called after each operation, with the error that it ended with. */
export type OnCall = (operation: string, started: number, thrown: unknown) => void

/** What clients have seen in this process: sessions of 2025, and keys of clients without one. */
const seen = new WeakMap<Service, Map<string, number>>()

function seenBy(service: Service, { workspace, keyId, userId }: Caller, session = ''): SeenRevisions {
  const entries = seen.get(service) ?? new Map()
  seen.set(service, entries)
  return new SeenRevisions(`${workspace.number} ${keyId ?? userId} ${session}`, entries)
}

/** What surrounds the calls of one HTTP request. */
export interface Surroundings {
  /** The session of a client of 2025. */
  readonly session?: string | undefined
  readonly onCall: OnCall
  /** Called when the person behind the client is asked, with what ends the waiting before they reply; what it returns is called afterwards. */
  onWait(end: () => void): () => void
  /** The caller as the key allows at present; throws once the key is revoked or expired. */
  reauthenticate(): Caller | Promise<Caller>
  /** Resolves once the client has read most of what was sent to it. */
  drained(): Promise<void>
  /** Refuses every call. */
  readonly refusal?: CrmError | undefined
}

/** Executes the calls of one HTTP request in this process. */
export function coreBackend(service: Service, caller: Caller, requestId: string, surroundings: Surroundings): Backend {
  const { session, onCall, onWait, reauthenticate, drained, refusal } = surroundings
  const transport = inProcessTransport(service, () => caller, 'mcp', requestId)
  async function counted<T>(operation: string, execute: () => Promise<T>): Promise<T> {
    const started = performance.now()
    let thrown: unknown
    try {
      if (refusal) throw refusal
      return await execute()
    } catch (error) {
      thrown = error
      throw error
    } finally {
      onCall(operation, started, thrown)
    }
  }
  return {
    questions: {
      idOf: (token) => questionId(service, caller, token),
      async record(id, reply) {
        const PlanID = reply === 'decline' || reply === 'cancel' ? await planIn(service, caller, id) : undefined
        if (reply !== 'decline') await recordReply(service, caller, id, reply)
        if (PlanID !== undefined) await transport.call(refusePlan.id, { PlanID })
      },
      async awaitReply(token, signal) {
        const closing = new AbortController()
        const ended = onWait(() => closing.abort())
        try {
          return await awaitReply(service, caller, token, AbortSignal.any([signal, closing.signal]))
        } finally {
          ended()
        }
      },
    },
    sessions: clientSessions(service, caller),
    drained,
    requestId,
    follow: (options) => followEvents(service, reauthenticate, 'mcp', options),
    access: async () => caller,
    platform: () => readPlatform(service, caller.workspace),
    reading: async () => ({ writer: caller, call: transport.call }),
    seen: seenBy(service, caller, session),
    // A write that has arrived is executed even if the client disconnects; of a batch, the calls that have begun.
    async call(operation, input, { signal, ...rest } = {}) {
      const options = { ...rest, ...(signal && operationNamed(operation)?.effect === 'read' && { signal }) }
      return counted(operation, () => transport.call(operation, input, options))
    },
    batch: (batch, options) => counted('batch', () => transport.batch(batch, options) as Promise<BatchAnswer>),
  }
}
