import type { RunningService } from './service.ts'

type Fields = Record<string, unknown>

/** A record as last acknowledged to its client, null once deleted, and its number of attachments. */
export interface Known {
  readonly type: string
  record: Fields | null
  hanging: number
}

/** One write, and how its result updates the client's expectations. */
interface Step {
  readonly Operation: string
  readonly Input: Fields
  readonly learn: (result: Fields) => void
}

/** A call, as sent in every attempt. */
export interface Sent {
  readonly key: string
  readonly steps: readonly Step[]
  readonly kind: 'call' | 'batch' | 'atomic'
  /** What was acknowledged: the exact text of each result, and the ids of its changes. */
  results?: readonly string[]
  changeIds?: readonly string[]
  /** Whether it was retried. */
  repeated?: boolean
}

interface Answer {
  readonly results: readonly string[]
  readonly changeIds: readonly string[]
  readonly replayed: readonly boolean[]
}

/** The idempotency keys of a call's writes. */
export const keysOf = ({ key, steps, kind }: Sent) => (kind === 'call' ? [key] : steps.map((_, i) => `${key}#${i}`))

const STAGES = ['Prospecting', 'Closed Won', 'Closed Lost']
const LABEL = { Type: 'String', Label: 'Name' }
const SIZE = { Type: 'Number', Label: 'Size' }

/** How each record type is created, updated, deleted, and what can be attached to it. */
const TYPES = [
  {
    type: 'Lead',
    id: 'LeadID',
    create: 'create_a_lead',
    draft: (text: string) => ({ FirstName: 'Ada', LastName: text, Email: 'ada@example.com' }),
    update: 'update_lead',
    changes: (i: number) => ({ Status: `Status ${i % 5}`, Title: `Change ${i}` }),
    remove: 'delete_lead',
    hang: ['add_notes_to_leads', 'Note'],
  },
  {
    type: 'Opportunity',
    id: 'OpportunityID',
    create: 'create_opportunity',
    draft: (text: string) => ({ OpportunityName: text, Stage: 'Prospecting', CloseDate: '2026-12-31', Amount: 0.1 }),
    update: 'update_opportunity',
    changes: (i: number) => ({ Stage: STAGES[i % 3], Amount: i % 7 === 0 ? null : i + 0.25, Description: `Change ${i}` }),
    remove: 'opportunity_delete',
    hang: ['add_notes_to_opportunity', 'Note'],
  },
  {
    type: 'Case',
    id: 'CaseID',
    create: 'create_case',
    draft: (text: string) => ({ Subject: text, Description: 'The third column sticks.' }),
    update: 'update_case',
    changes: (i: number) => ({ Status: i % 2 === 0 ? 'Closed' : null, Description: `Change ${i}` }),
    remove: 'case_delete',
    hang: ['add_comment', 'Comment'],
  },
  {
    type: 'CustomObject',
    id: 'ObjectID',
    create: 'create_custom_object',
    draft: (text: string) => ({ ObjectName: 'Part', Fields: { Name: { ...LABEL, Value: text }, Size: { ...SIZE, Value: text.length } } }),
    update: 'update_custom_object',
    changes: (i: number) => ({ Name: `Part ${i}`, Size: i % 3 === 0 ? null : i }),
    remove: 'delete_custom_object',
    hang: undefined,
  },
] as const

const oneOf = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

/** A client only changes this many of its newest records. */
const RECENT = 20

/** One of many concurrent writers. It changes only its own records, so that it can predict their contents. */
export class Client {
  readonly name: string
  /** The admin's key if undefined. */
  readonly bearer: string | undefined
  readonly known = new Map<string, Known>()
  readonly done: Sent[] = []
  /** Sent and not acknowledged: its outcome is unknown. */
  open: Sent | undefined
  /** How many calls were answered with a replayed result. */
  replayed = 0
  #count = 0

  constructor(name: string, bearer?: string) {
    this.name = name
    this.bearer = bearer
  }

  /** Writes until the service is gone or `enough()`. An open call is retried first, with the same key. */
  async write(service: RunningService, enough: () => boolean = () => false): Promise<void> {
    while (this.open || !enough()) {
      this.open ??= this.#next()
      if ((await this.#deliver(service, this.open)) === 'gone') return
    }
  }

  /** Retries the open call until it is acknowledged. */
  resendOpen(service: RunningService): Promise<void> {
    return this.write(service, () => true)
  }

  /** Aborts 5% of the calls at random, as if the answer had been lost. */
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
      sent.repeated = true
      return deadline?.aborted || error instanceof StillRunning ? 'again' : 'gone'
    }
    this.done.push(sent)
    this.open = undefined
    return 'answered'
  }

  /** Throws Refused if a call is not executed: all of these are valid. */
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
    // Calls of one batch use different records, since the results of the others are not known yet.
    const taken = new Set<string>()
    return { key, steps: Array.from({ length: size }, (_, i) => this.#step(`${key}#${i}`, taken)), kind: chance < 0.95 ? 'batch' : 'atomic' }
  }

  #step(text: string, taken: Set<string> = new Set()): Step {
    const here = [...this.known].slice(-RECENT).filter(([id, { record }]) => record !== null && !taken.has(id))
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

/** A call that was not executed. A batch has the highest status of its calls: that of the cause, not of the calls rolled back with it. */
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

/** Makes clients, every fourth of which works in another workspace if its key is given. */
export function clientsOf(count: number, other?: string): Client[] {
  return Array.from({ length: count }, (_, i) => new Client(`client${i}`, i % 4 === 0 ? other : undefined))
}
