import type { Operation } from '../../contract/operation.ts'
import { STORE_TYPES } from '../../contract/operations.ts'
import { cachedBinding } from '../../core/binding.ts'
import type { Outcome } from '../../core/call/types.ts'
import type { Caller, Service } from '../../core/service.ts'

/** Longer bodies and answers are not cached. */
const MAX_BODY_BYTES = 1024
const MAX_ANSWER_LENGTH = 65_536
/** Once bodies and answers have more characters than this together, all are dropped: those that are asked for often are soon back. */
const MAX_LENGTH = 8_388_608

type Answer = Pick<Outcome, 'result'> & { readonly json: string }

/**
 * Caches what reads of records answer, as text, until the store changes. By caller, as signed in: with other rights, or after any change of users
 * and keys, the caller is another object.
 */
export class AnswerCache {
  private readonly service: Service
  private answers = new WeakMap<Caller, Map<string, Answer>>()
  private version: number | undefined
  private length = 0

  constructor(service: Service) {
    this.service = service
  }

  /** The place of the answer to a call; undefined where answers are not cached. */
  placeOf(caller: Caller, operation: Operation, body: Buffer): CachedAnswer | undefined {
    const version = this.isCacheable(caller, operation) && body.length <= MAX_BODY_BYTES ? this.versionNow() : undefined
    if (version === undefined) return undefined
    if (version !== this.version || this.length > MAX_LENGTH) {
      this.answers = new WeakMap()
      this.version = version
      this.length = 0
    }
    let answers = this.answers.get(caller)
    if (!answers) {
      answers = new Map()
      this.answers.set(caller, answers)
    }
    return new CachedAnswer(this, answers, `${operation.id} ${body.toString('latin1')}`)
  }

  keep(answers: Map<string, Answer>, key: string, answer: Answer): void {
    // The store may have changed while the call was executed.
    if (answer.json.length > MAX_ANSWER_LENGTH || this.versionNow() !== this.version) return
    answers.set(key, answer)
    this.length += key.length + answer.json.length
  }

  private versionNow(): number | undefined {
    try {
      return this.service.store.version?.()
    } catch {
      // The call finds out what is wrong with the store, and reports it.
      return undefined
    }
  }

  /** Other answers depend on the time, or on another platform. */
  private isCacheable({ workspace }: Caller, { verb, record }: Operation): boolean {
    return (verb === 'get' || verb === 'getMany') && !STORE_TYPES.includes(record.name) && cachedBinding(this.service, workspace).isStore
  }
}

class CachedAnswer {
  readonly answer: Answer | undefined
  private readonly cache: AnswerCache
  private readonly answers: Map<string, Answer>
  private readonly key: string

  constructor(cache: AnswerCache, answers: Map<string, Answer>, key: string) {
    this.answer = answers.get(key)
    this.cache = cache
    this.answers = answers
    this.key = key
  }

  /** Caches the answer, with what its headers are made of. */
  keep({ result }: Outcome, json: string): void {
    const { Revision } = result as { readonly Revision?: unknown }
    this.cache.keep(this.answers, this.key, { result: { Revision }, json })
  }
}
