import type { seeded } from 'crm-simulators'
import type { StoredRecord } from '../../../src/platforms/platform.ts'
import type { WatchedAccount } from './account.ts'

/** How a record of a type is made and changed so that one value of it is new each time, by the connector and by another client of the account. */
interface Kind {
  readonly group: string
  readonly id: string
  /** The field that has the value. */
  readonly field: string
  readonly draft?: StoredRecord
  /** What only the other client has to give. */
  readonly platform?: StoredRecord
  /** The fields of a record with a value, where they are not the one above alone. */
  readonly fields?: {
    readonly own: (value: string) => object
    readonly other: (value: string) => StoredRecord
    readonly patch: (value: string) => StoredRecord
  }
}

export const KINDS = {
  Lead: { group: 'leads', id: 'LeadID', field: 'LastName', draft: { FirstName: 'Ada' }, platform: { Status: 'Open' } },
  Contact: { group: 'contacts', id: 'ContactID', field: 'LastName' },
  Company: { group: 'companies', id: 'CompanyID', field: 'CompanyName' },
  Opportunity: { group: 'opportunities', id: 'OpportunityID', field: 'OpportunityName', draft: { Stage: 'Prospecting', CloseDate: '2027-01-31' } },
  Case: { group: 'cases', id: 'CaseID', field: 'Subject', draft: { Description: 'It is broken' }, platform: { Status: 'New' } },
  Campaign: { group: 'campaigns', id: 'CampaignID', field: 'CampaignName' },
  CustomObject: {
    group: 'customObjects',
    id: 'ObjectID',
    field: 'Values',
    draft: { ObjectName: 'Boat' },
    fields: {
      own: (Value) => ({ Fields: { Port: { Type: 'String', Label: 'Port', Value } } }),
      other: (Port) => ({ Values: { Port } }),
      patch: (Port) => ({ Port }),
    },
  },
} as const satisfies { readonly [type: string]: Kind }
export type KindName = keyof typeof KINDS

const kindOf = (type: KindName): Kind => KINDS[type]

type Who = 'other' | 'own'
type Verb = { [verb in 'create' | 'update' | 'delete' | 'addNote' | 'addComment']: (input: unknown, options?: unknown) => Promise<StoredRecord> }

/** How often a record may have come into being again, and may have gone. */
export interface Turns {
  readonly restored: number
  readonly gone: number
}

/** What other clients of an account, people in it and calls of the connector do at random. Each value that they write is a new one. */
export function actsOn({ simulator, other, people, client }: WatchedAccount, seed: number, random: ReturnType<typeof seeded>) {
  const upTo = (most: number) => Math.floor(random() * most)
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T
  const verbs = (type: KindName) => (client as unknown as Record<string, Verb>)[kindOf(type).group] as Verb
  const known: { readonly type: KindName; readonly id: string }[] = []
  const gone: (typeof known)[number][] = []
  const parts: { readonly type: string; readonly id: string }[] = []
  const turns = new Map<string, Turns>()
  const log: string[] = []
  let values = 0
  const newValue = () => `value ${seed} ${++values}`
  const types = Object.keys(KINDS) as KindName[]

  /** Called before it is tried, since what fails because of a fault may have been done. */
  function mayTurn({ type, id }: (typeof known)[number], what: keyof Turns): void {
    const { restored, gone: before } = turnsOf(`${type} ${id}`)
    turns.set(`${type} ${id}`, { restored: restored + Number(what === 'restored'), gone: before + Number(what === 'gone') })
    if (what === 'gone') gone.push({ type, id })
  }

  const turnsOf = (place: string): Turns => turns.get(place) ?? { restored: 0, gone: 0 }

  async function created(type: KindName, by: Who): Promise<void> {
    const { id, field, draft, platform, fields } = kindOf(type)
    const value = newValue()
    const given = { ...draft, ...(fields ? fields[by](value) : { [field]: value }) }
    const record =
      by === 'own' ? await verbs(type).create(given, { key: `key-${value}` }) : await other.write(1, (writer) => writer.create(type, { ...given, ...platform }))
    known.push({ type, id: record[id] as string })
  }

  async function changed(by: Who, does: 'update' | 'delete'): Promise<void> {
    const { type, id } = pick(known.slice(-8).filter((one) => by === 'other' || verbs(one.type)[does]))
    const { id: idField, field, fields } = kindOf(type)
    const value = newValue()
    log.push(`  ${type} ${id} ${does === 'update' ? value : ''}`)
    if (does === 'delete') mayTurn({ type, id }, 'gone')
    const given = (to: 'patch' | 'other') => fields?.[to](value) ?? { [field]: value }
    if (by === 'own') await verbs(type)[does]({ [idField]: id, ...(does === 'update' && { FieldsToUpdate: given('patch') }) })
    else await other.write<unknown>(1, (writer) => (does === 'update' ? writer.update(type, id, given('other')) : writer.delete(type, id)))
  }

  /** Adds a note, a comment or a membership to one of the latest records. */
  async function attached(by: Who): Promise<void> {
    const { type, id } = pick(known.filter((one) => one.type !== 'Campaign' && one.type !== 'CustomObject').slice(-8))
    const campaign = known.findLast((one) => one.type === 'Campaign')?.id
    const text = newValue()
    log.push(`  ${type} ${id} ${text}`)
    const [child, parent, verb] = type === 'Case' ? (['Comment', 'CaseID', 'addComment'] as const) : (['Note', 'RecordID', 'addNote'] as const)
    if (type === 'Lead' && campaign && random() < 0.5) {
      const ids = { LeadID: id, CampaignID: campaign }
      if (by === 'own') await client.leads.addToCampaign(ids)
      else await other.write(1, (writer) => writer.create('Membership', { MembershipID: `${id}:${campaign}`, ...ids }))
      parts.push({ type: 'Membership', id: `${id}:${campaign}` })
    } else if (by === 'own') await verbs(type)[verb]({ [kindOf(type).id]: id, [child]: text })
    else {
      const record = await other.write(1, (writer) => writer.create(child, { [parent]: id, [child]: text, ...(type === 'Case' && { Publish: false }) }, type))
      parts.push({ type: child, id: record[`${child}ID`] as string })
    }
  }

  async function detached(by: Who): Promise<void> {
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
      const one = pick(gone.length > 0 ? gone.slice(-4) : known)
      const { type, id } = one
      mayTurn(one, 'restored')
      if (await people.restore(type, id)) log.push(`  ${type} ${id}`)
    },
    async merges() {
      const one = pick(known)
      const two = known.findLast(({ type, id }) => type === one.type && id !== one.id)
      if (!two) return
      // The result may have a new id.
      for (const each of [one, two]) mayTurn(each, 'gone')
      if (await people.merge(one.type, one.id, two.id)) log.push(`  ${two.type} ${two.id} into ${one.id}`)
    },
    async 'the log is purged'() {
      await people.purgeDeleted?.()
    },
    'time passes': () => simulator.advance(pick([5, 20, 40, 900]) * 1000),
  }

  /** What fails because of a fault may have been done or not. */
  const attempt = <Name extends string>(all: { readonly [name in Name]: () => Promise<unknown> }, what: Name) => {
    log.push(what)
    return all[what]().catch((error: Error) => log.push(`  ${what}: ${error.message}`))
  }

  return {
    acts,
    attempt,
    log,
    upTo,
    pick,
    turnsOf,

    /** Two records of each type. */
    async begin(): Promise<void> {
      await created('CustomObject', 'own')
      for (const type of types) for (const _ of [1, 2]) await created(type, 'other').catch((error: Error) => log.push(`  first ${type}: ${error.message}`))
      await simulator.advance(60_000)
    },

    /** Has another client delete a record. */
    async remove(type: KindName, id: string): Promise<void> {
      log.push(`removes ${type} ${id}`)
      mayTurn({ type, id }, 'gone')
      await other.write(1, (writer) => writer.delete(type, id))
    },

    /** The acts of others, the likely ones several times. */
    ofOthers: [
      ...(['other creates', 'other creates', 'other updates', 'other updates', 'other deletes', 'other attaches', 'other attaches', 'other attaches'] as const),
      ...(['other detaches', 'other detaches', 'restores', 'restores', 'merges', 'time passes', 'time passes'] as const),
      ...(people.purgeDeleted ? (['the log is purged'] as const) : []),
    ],

    /** Those of calls of the connector. */
    own: ['own creates', 'own updates', 'own updates', 'own deletes', 'own attaches', 'own attaches', 'own detaches'] as const,
  }
}

/** Faults that may be on during a step, by the chance or the time that each has. */
export const FAULTS = [
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
