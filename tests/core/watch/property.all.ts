import { describe, expect, test } from 'vitest'
import { recordType } from '../../../src/contract/operations.ts'
import type { RecordType } from '../../../src/contract/record.ts'
import { attachedIn, type Event, type EventName } from '../../../src/contract/records/event.ts'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import { ALL_CRMS } from '../../support/crms/all.ts'
import { attachedState, type State, visible, type WatchedAccount, watchedAccount } from './account.ts'

/** `WATCH_SEEDS=200` tries so many, `WATCH_SEED=17` only one. */
const SEEDS = process.env.WATCH_SEED ? [Number(process.env.WATCH_SEED)] : Array.from({ length: Number(process.env.WATCH_SEEDS ?? 3) }, (_, i) => i + 1)
const STEPS = 30

const TYPES = {
  Lead: { group: 'leads', id: 'LeadID', name: 'LastName', draft: { FirstName: 'Ada' }, platform: { Status: 'Open' } },
  Contact: { group: 'contacts', id: 'ContactID', name: 'LastName', draft: {}, platform: {} },
  Company: { group: 'companies', id: 'CompanyID', name: 'CompanyName', draft: {}, platform: {} },
  Opportunity: { group: 'opportunities', id: 'OpportunityID', name: 'OpportunityName', draft: { Stage: 'Prospecting', CloseDate: '2027-01-31' }, platform: {} },
  Case: { group: 'cases', id: 'CaseID', name: 'Subject', draft: { Description: 'It is broken' }, platform: {} },
  Campaign: { group: 'campaigns', id: 'CampaignID', name: 'CampaignName', draft: {}, platform: {} },
} as const
type TypeName = keyof typeof TYPES

/** Faults that may be on during a step, by the chance or the time that each has. */
const FAULTS = [
  'late-rows=20s',
  'late-rows=90s:POST',
  'same-stamp=10s',
  'clock-skew=30s',
  'index-lag=5s',
  'slow=20ms',
  'drop-after=1x',
  'drop-before=1x',
  'error=1x',
  'error-after=1x',
  'rate-limit=1x',
  'malformed=1x',
  'expired-session=1x',
  'stale-cursor=1x',
  'calculated=0.5',
  'new-id=1',
]

type Verb = { [verb in 'create' | 'update' | 'delete' | 'addNote' | 'addComment']: (input: unknown, options?: unknown) => Promise<StoredRecord> }

/** What happens at random to an account, and what is known of it at the end. */
async function lifeOf(account: WatchedAccount, seed: number) {
  const random = seeded(seed)
  const upTo = (most: number) => Math.floor(random() * most)
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T
  const { simulator, other, people, client } = account
  const known: { readonly type: TypeName; readonly id: string }[] = []
  const log: string[] = []
  let values = 0
  const value = () => `value ${seed} ${++values}`
  const types = Object.keys(TYPES) as TypeName[]

  async function created(type: TypeName, by: 'other' | 'own'): Promise<void> {
    const { group, id, name: field, draft, platform } = TYPES[type]
    const values: StoredRecord = { ...draft, [field]: value() }
    const record =
      by === 'own'
        ? await (client as unknown as Record<string, Verb>)[group]?.create(values, { key: `key-${values[field]}` })
        : await other.write(1, (writer) => writer.create(type, { ...values, ...platform }))
    known.push({ type, id: record?.[id] as string })
  }

  async function changed(by: 'other' | 'own', does: 'update' | 'delete'): Promise<void> {
    const { type, id } = pick(known.slice(-8))
    const { group, id: idField, name: field } = TYPES[type]
    const values = { [field]: value() }
    log.push(`  ${type} ${id} ${does === 'update' ? values[field] : ''}`)
    if (by === 'own') await (client as unknown as Record<string, Verb>)[group]?.[does]({ [idField]: id, ...(does === 'update' && { FieldsToUpdate: values }) })
    else await other.write<unknown>(1, (writer) => (does === 'update' ? writer.update(type, id, values) : writer.delete(type, id)))
  }

  /** Adds a note, a comment or a membership to one of the latest records. */
  async function attached(by: 'other' | 'own'): Promise<void> {
    const { type, id } = pick(known.filter((one) => one.type !== 'Campaign').slice(-8))
    const campaign = known.findLast((one) => one.type === 'Campaign')?.id
    const text = value()
    log.push(`  ${type} ${id} ${text}`)
    if (type === 'Lead' && campaign && random() < 0.5) {
      const ids = { LeadID: id, CampaignID: campaign }
      if (by === 'own') await client.leads.addToCampaign(ids)
      else await other.write(1, (writer) => writer.create('Membership', { MembershipID: `${id}:${campaign}`, ...ids }))
      parts.push({ type: 'Membership', id: `${id}:${campaign}` })
    } else if (by === 'own')
      await (client as unknown as Record<string, Verb>)[TYPES[type].group]?.[type === 'Case' ? 'addComment' : 'addNote'](noteOf(type, id, text))
    else {
      const [child, parent] = type === 'Case' ? (['Comment', 'CaseID'] as const) : (['Note', 'RecordID'] as const)
      const record = await other.write(1, (writer) => writer.create(child, { [parent]: id, [child]: text, ...(type === 'Case' && { Publish: false }) }, type))
      parts.push({ type: child, id: record[`${child}ID`] as string })
    }
  }
  const parts: { readonly type: string; readonly id: string }[] = []
  const noteOf = (type: TypeName, id: string, text: string) => ({ [TYPES[type].id]: id, [type === 'Case' ? 'Comment' : 'Note']: text })

  async function detached(by: 'other' | 'own'): Promise<void> {
    if (parts.length === 0) return
    const { type, id } = pick(parts.slice(-4))
    log.push(`  ${type} ${id}`)
    const [LeadID = '', CampaignID = ''] = id.split(':')
    if (by === 'other') await other.write(1, (writer) => writer.delete(type, id))
    else if (type === 'Membership') await client.leads.removeFromCampaign({ LeadID, CampaignID })
  }

  const acts = {
    'other attaches': () => attached('other'),
    'own attaches': () => attached('own'),
    'other detaches': () => detached('other'),
    'own detaches': () => detached('own'),
    'other creates': () => created(pick(types), 'other'),
    'own creates': () => created(pick(types), 'own'),
    'other updates': () => changed('other', 'update'),
    'own updates': () => changed('own', 'update'),
    'other deletes': () => changed('other', 'delete'),
    'own deletes': () => changed('own', 'delete'),
    async restores() {
      const { type, id } = pick(known)
      if (await people.restore(type, id)) log.push(`  ${type} ${id}`)
    },
    async merges() {
      const one = pick(known)
      const two = known.findLast(({ type, id }) => type === one.type && id !== one.id)
      if (two && (await people.merge(one.type, one.id, two.id))) log.push(`  ${two.type} ${two.id} into ${one.id}`)
    },
    'time passes': () => simulator.advance(pick([5, 20, 40, 900]) * 1000),
    async round() {
      const aborting = new AbortController()
      if (random() < 0.2) setTimeout(() => aborting.abort(), upTo(50)).unref()
      await account.round(process, aborting.signal)
    },
    async 'another process'() {
      process = await account.process()
    },
  }
  let process: Parameters<typeof account.round>[0]

  /** What fails because of a fault may have been done or not. */
  async function act(what: keyof typeof acts): Promise<void> {
    log.push(what)
    await acts[what]().catch((error: Error) => log.push(`  ${what}: ${error.message}`))
  }

  const WEIGHTED: readonly (keyof typeof acts)[] = [
    ...['other creates', 'other creates', 'own creates', 'other updates', 'other updates', 'own updates', 'own updates', 'other deletes', 'own deletes'],
    ...['other attaches', 'other attaches', 'other attaches', 'own attaches', 'own attaches', 'other detaches', 'other detaches', 'own detaches'],
    ...['restores', 'restores', 'merges', 'time passes', 'time passes', 'round', 'round', 'round', 'round', 'another process'],
  ] as never

  for (const type of types) for (const _ of [1, 2]) await created(type, 'other').catch(() => {})
  await simulator.advance(60_000)
  await account.round()
  await account.round()
  const [first, cursor] = [await account.mirror(), await account.cursor()]

  for (let step = 0; step < STEPS; step++) {
    simulator.faults.clear()
    const faults = FAULTS.filter(() => random() < 0.12)
    log.push(`with ${faults}`)
    for (const fault of faults) simulator.faults.add(fault)
    // A write that was answered is committed: only those of others may show late.
    const possible = faults.some((fault) => fault.startsWith('late-rows')) ? WEIGHTED.filter((what) => !what.startsWith('own')) : WEIGHTED
    await Promise.all(Array.from({ length: 1 + upTo(3) }, () => act(pick(possible))))
  }
  simulator.faults.clear()
  for (let rounds = 0; rounds < 4; rounds++) {
    await simulator.advance(60_000)
    await account.round(process)
  }
  return { types: account.types, first, log, events: await account.events(cursor), account: await account.account(), mirror: await account.mirror() }
}

/** The state that the events lead to. Refuses an order in which a record could not have lived. */
function replayed(types: ReadonlyMap<string, RecordType>, first: State, events: readonly Event[]): State {
  const state = new Map(first)
  for (const { Type, RecordType: on, RecordID, Record, ChangedFields, Source } of events) {
    const place = `${on} ${RecordID}`
    const told = `${Type} of ${place} (${Source})`
    switch (Type.split('.')[1]) {
      case 'created':
        expect(state.has(place), `${told}, which exists`).toBe(false)
        state.set(place, visible(types.get(on) as RecordType, Record as StoredRecord))
        break
      case 'updated':
        expect(state.has(place), `${told}, which does not exist`).toBe(true)
        expect(ChangedFields, told).not.toEqual([])
        state.set(place, visible(types.get(on) as RecordType, Record as StoredRecord))
        break
      case 'deleted':
        expect(state.has(place), `${told}, which does not exist`).toBe(true)
        for (const one of [...state.keys()]) if (one === place || one.startsWith(`${place} `)) state.delete(one)
        break
      default:
        replayAttached(state, types.get(on) as RecordType, Type.split('.')[1] as EventName, RecordID, Record as StoredRecord, told)
    }
  }
  return counted(state)
}

/** What Salesforce derives from the members of campaigns is not announced: their number follows from the events. */
function counted(state: State): State {
  const isMember = (place: string, campaign: string) => place.startsWith('Lead ') && place.endsWith(` Membership ${campaign}`)
  for (const [place, campaign] of state) {
    if (!place.startsWith('Campaign ') || campaign.NumberOfLeads === undefined) continue
    state.set(place, { ...campaign, NumberOfLeads: [...state.keys()].filter((one) => isMember(one, place.slice('Campaign '.length))).length })
  }
  return state
}

function replayAttached(state: State, type: RecordType, eventName: EventName, parent: string, image: StoredRecord, told: string): void {
  const [place, record] = attachedState(type, parent, recordType(attachedIn(eventName) as string), image)
  expect(state.has(`${type.name} ${parent}`), `${told}, which does not exist`).toBe(true)
  const isAdded = eventName.includes('added')
  expect(state.has(place), `${told} ${place}`).toBe(!isAdded)
  if (eventName.includes('removed')) state.delete(place)
  else state.set(place, record)
}

const listed = (state: State) => Object.fromEntries([...state].sort(([a], [b]) => (a < b ? -1 : 1)))

/** The names that events tell of, each change of one record being a name of its own. */
function namesIn(events: readonly Event[]): string[] {
  return events.flatMap(({ Type, RecordType, RecordID, Record, ChangedFields }) => {
    const { name } = TYPES[RecordType as TypeName]
    return Type.endsWith('.updated') && ChangedFields.includes(name) ? [`${RecordID} ${(Record as StoredRecord)[name]}`] : []
  })
}

describe.each(ALL_CRMS)('whatever happens in %s', (name, crm) => {
  test.concurrent.for(SEEDS)('the feed leads to what it has, and the mirror is equal (seed %i)', async (seed, { onTestFinished }) => {
    const { types, first, events, account, mirror, log } = await lifeOf(await watchedAccount(name, crm, onTestFinished), seed)
    const story = `WATCH_SEED=${seed}\n${log.join('\n')}\n${events.map(({ Type, RecordID, Source, ChangedFields }) => `${Type} ${RecordID} ${Source} ${ChangedFields}`).join('\n')}`
    try {
      expect(listed(mirror)).toEqual(listed(account))
      expect(listed(replayed(types, first, events))).toEqual(listed(account))
      const names = namesIn(events)
      expect(names.filter((one, at) => names.indexOf(one) !== at)).toEqual([])
    } catch (error) {
      console.error(story)
      throw error
    }
  })
})

/** A seeded random generator (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
