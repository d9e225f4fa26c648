import type { RunningService } from './service.ts'

type Fields = Record<string, unknown>

/** A record as its client knows it: as it was last answered, null once deleted, with how many things hang on it. */
export interface Known {
  readonly type: string
  record: Fields | null
  hanging: number
}

/** One write, and what its client learns from the answer. */
interface Step {
  readonly Operation: string
  readonly Input: Fields
  readonly learn: (result: Fields) => void
}

/** A call as it is sent, as often as it takes. */
export interface Sent {
  readonly key: string
  readonly steps: readonly Step[]
  readonly kind: 'call' | 'batch' | 'atomic'
  /** What was acknowledged: the very text of each result, and the lines of the audit it has left. */
  results?: readonly string[]
  changeIds?: readonly string[]
  /** Whether it was sent more than once. */
  repeated?: boolean
}

interface Answer {
  readonly results: readonly string[]
  readonly changeIds: readonly string[]
  readonly replayed: readonly boolean[]
}

/** The keys of the writes of a call. */
export const keysOf = ({ key, steps, kind }: Sent) => (kind === 'call' ? [key] : steps.map((_, i) => `${key}#${i}`))

const STAGES = ['Prospecting', 'Closed Won', 'Closed Lost']
const LABEL = { Type: 'String', Label: 'Name' }
const SIZE = { Type: 'Number', Label: 'Size' }

/** How each type of record is made, changed, removed, and what can be hung on it. */
const TYPES = [
  {
    type: 'Lead',
    id: 'LeadID',
    create: 'create_a_lead',
    draft: (text: string) => ({ FirstName: 'Ada', LastName: text, Email: 'ada@example.com' }),
    update: 'update_lead',
    changes: (i: number) => ({ Status: `Status ${i % 5}` }),
    remove: 'delete_lead',
    hang: ['add_notes_to_leads', 'Note'],
  },
  {
    type: 'Opportunity',
    id: 'OpportunityID',
    create: 'create_opportunity',
    draft: (text: string) => ({ OpportunityName: text, Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 0.1 }),
    update: 'update_opportunity',
    changes: (i: number) => ({ Stage: STAGES[i % 3], Amount: i % 7 === 0 ? null : i + 0.25 }),
    remove: 'opportunity_delete',
    hang: ['add_notes_to_opportunity', 'Note'],
  },
  {
    type: 'Case',
    id: 'CaseID',
    create: 'create_case',
    draft: (text: string) => ({ Subject: text, Description: 'The third column sticks.' }),
    update: 'update_case',
    changes: (i: number) => ({ Status: i % 2 === 0 ? 'Closed' : null }),
    remove: 'case_delete',
    hang: ['add_comment', 'Comment'],
  },
  {
    type: 'CustomObject',
    id: 'ObjectID',
    create: 'create_custom_object',
    draft: (text: string) => ({ ObjectName: 'Part', Fields: { Name: { ...LABEL, Value: text }, Size: { ...SIZE, Value: text.length } } }),
    update: 'update_custom_object',
    changes: (i: number) => (i % 3 === 0 ? { Size: null } : { Name: `Part ${i}`, Size: i }),
    remove: 'delete_custom_object',
    hang: undefined,
  },
] as const

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

/** So many of its own records a client goes on working with. */
const AT_HAND = 20

/** One of many who write at the same time. It works on records of its own, so that it knows what each must be like. */
export class Client {
  readonly name: string
  /** Undefined stands for the admin of the service. */
  readonly bearer: string | undefined
  readonly known = new Map<string, Known>()
  readonly done: Sent[] = []
  /** Sent, and not answered yet: nobody knows whether it has happened. */
  open: Sent | undefined
  /** How many calls were answered from what was kept, though nobody had heard the answer. */
  replayed = 0
  #count = 0

  constructor(name: string, bearer?: string) {
    this.name = name
    this.bearer = bearer
  }

  /** Writes until the service is gone or there has been enough. What is still open is sent again first, with the same key. */
  async write(service: RunningService, enough: () => boolean = () => false): Promise<void> {
    while (this.open || !enough()) {
      this.open ??= this.#next()
      if ((await this.#deliver(service, this.open)) === 'gone') return
    }
  }

  /** Sends what is open once more. */
  resendOpen(service: RunningService): Promise<void> {
    return this.write(service, () => true)
  }

  /** Now and then a client does not wait for the answer, as if it had been lost on the way. */
  async #deliver(service: RunningService, sent: Sent): Promise<'answered' | 'again' | 'gone'> {
    const deadline = Math.random() < 0.05 ? AbortSignal.timeout(Math.ceil(Math.random() * 30)) : null
    try {
      const { results, changeIds, replayed } = await this.send(service, sent, deadline)
      if (replayed.includes(true)) this.replayed++
      sent.results = results
      sent.changeIds = changeIds
      for (const [i, step] of sent.steps.entries()) step.learn(JSON.parse(results[i] as string) as Fields)
    } catch (error) {
      if (error instanceof Refused) throw error
      return deadline?.aborted || error instanceof StillRunning ? 'again' : 'gone'
    }
    this.done.push(sent)
    this.open = undefined
    return 'answered'
  }

  /** Throws Refused where a call is not carried out: none of these deserves it. */
  async send(service: RunningService, { key, steps, kind }: Sent, signal: AbortSignal | null = null): Promise<Answer> {
    const [first] = steps as [Step]
    const path = kind === 'call' ? `operations/${first.Operation}` : 'batch'
    const body = kind === 'call' ? first.Input : { Operations: steps.map(({ Operation, Input }) => ({ Operation, Input })), Atomic: kind === 'atomic' }
    const response = await fetch(`${service.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.bearer ?? service.key()}`, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
      signal,
    })
    const text = await response.text()
    if (text.includes('"code":"in_progress"')) throw new StillRunning(text)
    const refused = (status: number) => new Refused(`${path} ${key}: ${text}`, status, response.headers.get('retry-after'))
    if (response.status !== 200) throw refused(response.status)
    if (kind === 'call')
      return { results: [text], changeIds: [response.headers.get('change-id') ?? ''], replayed: [response.headers.get('idempotency-replayed') === 'true'] }
    const { Results } = JSON.parse(text) as { Results: { Status: number; Result: Fields; ChangeID?: string; Replayed?: true }[] }
    if (Results.length !== steps.length || Results.some(({ Status }) => Status !== 200)) throw refused(Math.max(...Results.map(({ Status }) => Status)))
    return {
      results: Results.map(({ Result }) => JSON.stringify(Result)),
      changeIds: Results.map(({ ChangeID }) => ChangeID ?? ''),
      replayed: Results.map(({ Replayed }) => Replayed === true),
    }
  }

  #next(): Sent {
    const key = `${this.name}-${++this.#count}`
    const chance = Math.random()
    if (chance < 0.9) return { key, steps: [this.#step(key)], kind: 'call' }
    const size = 2 + Math.floor(Math.random() * 6)
    // One of a batch never works on what another of it has made or removed: whether that happened is not known yet.
    const taken = new Set<string>()
    return { key, steps: Array.from({ length: size }, (_, i) => this.#step(`${key}#${i}`, taken)), kind: chance < 0.95 ? 'batch' : 'atomic' }
  }

  #step(text: string, taken: Set<string> = new Set()): Step {
    const here = [...this.known].slice(-AT_HAND).filter(([id, { record }]) => record !== null && !taken.has(id))
    const chance = Math.random()
    if (here.length < 3 || chance < 0.5) return this.#create(text)
    const [id, known] = oneOf(here)
    taken.add(id)
    const type = TYPES.find((one) => one.type === known.type) as (typeof TYPES)[number]
    if (chance < 0.7) {
      const learn = ({ UpdatedFields, ...record }: Fields) => {
        known.record = record
      }
      return { Operation: type.update, Input: { [type.id]: id, FieldsToUpdate: type.changes(this.#count) }, learn }
    }
    if (chance < 0.8 || !type.hang) {
      const learn = () => {
        known.record = null
      }
      return { Operation: type.remove, Input: { [type.id]: id }, learn }
    }
    const [Operation, field] = type.hang
    const learn = () => {
      known.hanging++
    }
    return { Operation, Input: { [type.id]: id, [field]: text }, learn }
  }

  #create(text: string): Step {
    const { type, id, create, draft } = oneOf([...TYPES, TYPES[0], TYPES[0], TYPES[1]])
    return { Operation: create, Input: draft(text), learn: (record) => this.known.set(String(record[id]), { type, record, hanging: 0 }) }
  }
}

/** A call that was not carried out. Of a batch it says the highest of all statuses: that of whoever is to blame rather than of those who went down with him. */
export class Refused extends Error {
  readonly status: number
  readonly retryAfter: string | null

  constructor(message: string, status: number, retryAfter: string | null) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }
}

class StillRunning extends Error {}

/** So many clients; every fourth of them works in another workspace, whose key is given. */
export function clientsOf(count: number, other?: string): Client[] {
  return Array.from({ length: count }, (_, i) => new Client(`client${i}`, i % 4 === 0 ? other : undefined))
}
