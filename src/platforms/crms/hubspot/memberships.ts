import type { CampaignSize, Condition, StoredRecord, Value } from '../../platform.ts'
import type { AttachedPage, ChangedPage, ChangeQuery, Created, DriverPage, DriverQuery, PerItem } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import { listByList } from '../engine/list-by-list.ts'
import type { Campaigns } from './campaigns.ts'
import { momentIn } from './codec.ts'
import { isId } from './filters.ts'
import type { Handler } from './handler.ts'
import type { Hub } from './hub.ts'
import { settled } from './objects.ts'

/** Members of a list in a page at most. */
const PAGE = 250

/** Lists in a page at most. */
const LISTS = 500
/** When the last member came on a list; not documented is how soon it says so. */
const ADDED = 'hs_last_record_added_at'
const SIZE = 'hs_list_size'

interface Member {
  readonly recordId: string
  readonly membershipTimestamp: string
}

interface Pair {
  readonly lead: string
  readonly campaign: string
}

/** Which leads are in which campaigns, as lists know it. */
export class Memberships implements Handler {
  private readonly connection: Hub
  private readonly campaigns: Campaigns
  /** The id of the object type that leads are. */
  private readonly leads: string

  constructor(connection: Hub, campaigns: Campaigns, leads: string) {
    this.connection = connection
    this.campaigns = campaigns
    this.leads = leads
  }

  narrows({ field, operator }: Condition): 'exactly' | 'not' {
    return operator === 'eq' && (field === 'LeadID' || field === 'CampaignID') ? 'exactly' : 'not'
  }

  orders(): boolean {
    return false
  }

  async get(ids: readonly string[]): Promise<StoredRecord[]> {
    const wanted = new Set(ids)
    const leads = new Set(ids.flatMap((id) => pairIn(id)?.lead ?? []))
    const found: StoredRecord[] = []
    for (const lead of leads) found.push(...(await this.ofLead(lead)))
    return found.filter(({ MembershipID }) => wanted.has(MembershipID as string))
  }

  async find({ where, cursor }: DriverQuery): Promise<DriverPage> {
    const lead = equalTo(where, 'LeadID')
    const campaign = equalTo(where, 'CampaignID')
    if (lead === undefined && campaign === undefined) throw new DriverError('internal', 'Memberships are found by their lead or their campaign.')
    if (lead === undefined) return this.ofCampaign(campaign ?? null, cursor)
    const records = isId(lead) ? await this.ofLead(lead) : []
    return { records: records.filter(({ CampaignID }) => campaign === undefined || CampaignID === campaign) }
  }

  async count({ where }: Pick<DriverQuery, 'where'>): Promise<number> {
    let count = 0
    let cursor: string | undefined
    do {
      const page: DriverPage = await this.find({ where, size: PAGE, ...(cursor !== undefined && { cursor }) })
      count += page.records.length
      cursor = page.cursor
    } while (cursor !== undefined)
    return count
  }

  /** The campaigns that a lead is in; it may be in lists that are none. */
  private async ofLead(lead: string): Promise<StoredRecord[]> {
    const path = `${this.connection.paths.lists}/records/${encodeURIComponent(this.leads)}/${lead}/memberships`
    const answer = await settled(
      this.connection.json<{ results: { listId: string; lastAddedTimestamp?: string; firstAddedTimestamp?: string }[] }>({ method: 'GET', path }),
    )
    if (answer instanceof DriverError && answer.code === 'not_found') return []
    if (answer instanceof DriverError) throw answer
    const lists = new Set((await this.campaigns.lists(answer.results.map(({ listId }) => String(listId)))).map(({ listId }) => String(listId)))
    return answer.results.flatMap(({ listId, lastAddedTimestamp, firstAddedTimestamp }) =>
      lists.has(String(listId)) ? [membership({ lead, campaign: String(listId) }, lastAddedTimestamp ?? firstAddedTimestamp)] : [],
    )
  }

  private async ofCampaign(campaign: Value, after: string | undefined): Promise<DriverPage> {
    if (!isId(campaign) || (await this.campaigns.lists([campaign])).length === 0) return { records: [] }
    const { records, after: next } = await this.members(campaign, 'memberships', after)
    return { records, ...(next !== undefined && { cursor: next }) }
  }

  private async members(campaign: string, path: 'memberships' | 'memberships/join-order', after: string | undefined) {
    const { results, paging } = await this.connection.json<{ results: Member[]; paging?: { next?: { after: string } } }>({
      method: 'GET',
      path: `${this.connection.paths.lists}/${campaign}/${path}?limit=${PAGE}${after === undefined ? '' : `&after=${encodeURIComponent(after)}`}`,
    })
    const records = results.map(({ recordId, membershipTimestamp }) => membership({ lead: String(recordId), campaign }, membershipTimestamp))
    return { records, after: paging?.next?.after }
  }

  /** Only of lists that a member was added to since. Where there are none, that takes one request for every 500 lists. */
  changed({ since = 0, cursor }: ChangeQuery): Promise<ChangedPage> {
    const lists = async (from: string) => {
      const page = await this.campaigns.page(Number(from), LISTS, [ADDED])
      const some = page.lists.filter(({ additionalProperties }) => (momentIn(additionalProperties?.[ADDED] ?? '') ?? since) >= since)
      return { ids: some.map(({ listId }) => String(listId)), next: page.next === undefined ? undefined : String(page.next) }
    }
    const members = async (list: string, after: string | undefined) => {
      const page = await settled(this.members(list, 'memberships/join-order', after))
      // The list was deleted meanwhile.
      if (page instanceof DriverError && page.code === 'not_found') return { records: [], next: undefined }
      if (page instanceof DriverError) throw page
      const added = page.records.map(onLead)
      return { records: added.filter(({ at }) => at >= since), next: page.after }
    }
    return listByList({ lists, members }, cursor)
  }

  async getAttached(ids: readonly string[]): Promise<AttachedPage> {
    return { records: (await this.get(ids)).map(onLead) }
  }

  /** One request for every 500 lists. */
  async sizes(): Promise<Map<string, CampaignSize>> {
    const sizes = new Map<string, CampaignSize>()
    for (let from: number | undefined = 0; from !== undefined; ) {
      const page: Awaited<ReturnType<Campaigns['page']>> = await this.campaigns.page(from, LISTS, [SIZE, ADDED])
      for (const { listId, additionalProperties: of } of page.lists)
        sizes.set(String(listId), { size: Number(of?.[SIZE] ?? 0), addedAt: momentIn(of?.[ADDED] ?? '') })
      from = page.next
    }
    return sizes
  }

  /** Those of one campaign are added together. To add a member twice changes nothing. */
  async create(records: readonly StoredRecord[]): Promise<PerItem<Created>[]> {
    const pairs = records.map(({ LeadID, CampaignID }) => ({ lead: String(LeadID), campaign: String(CampaignID) }))
    const failures = await this.written(pairs, 'add')
    const known = new Map((await this.get(pairs.map(idOf))).map((record) => [record.MembershipID, record]))
    return pairs.map((pair) => failures.get(idOf(pair)) ?? known.get(idOf(pair)) ?? membership(pair, new Date(this.connection.now()).toISOString()))
  }

  /** What went wrong, by the ids of the memberships. */
  private async written(pairs: readonly Pair[], verb: 'add' | 'remove'): Promise<Map<string, DriverError>> {
    const failures = new Map<string, DriverError>()
    for (const campaign of new Set(pairs.map((pair) => pair.campaign))) {
      const leads = pairs.flatMap((pair) => (pair.campaign === campaign ? [pair.lead] : []))
      const path = `${this.connection.paths.lists}/${encodeURIComponent(campaign)}/memberships/${verb}`
      // It can be done twice without harm, and is therefore repeated like a read.
      const answer = await settled(this.connection.json<{ recordIdsMissing?: readonly string[] }>({ method: 'PUT', path, body: leads, reads: true }))
      for (const lead of leads) {
        if (answer instanceof DriverError) failures.set(idOf({ lead, campaign }), answer)
        else if (answer?.recordIdsMissing?.map(String).includes(lead)) failures.set(idOf({ lead, campaign }), missing(lead))
      }
    }
    return failures
  }

  async update(changes: readonly unknown[]): Promise<boolean[]> {
    return changes.map(() => true)
  }

  async delete(ids: readonly string[]): Promise<PerItem<boolean>[]> {
    const there = new Set((await this.get(ids)).map(({ MembershipID }) => MembershipID))
    const pairs = ids.flatMap((id) => (there.has(id) ? (pairIn(id) ?? []) : []))
    const failures = await this.written(pairs, 'remove')
    return ids.map((id) => failures.get(id) ?? there.has(id))
  }
}

const onLead = (record: StoredRecord) => ({ record, at: Date.parse(String(record.CreatedDate)), on: 'Lead' })

const idOf = ({ lead, campaign }: Pair) => `${lead}:${campaign}`

function pairIn(id: string): Pair | undefined {
  const [lead, campaign, more] = id.split(':')
  return isId(lead) && isId(campaign) && more === undefined ? { lead, campaign } : undefined
}

function membership(pair: Pair, since: string | undefined): StoredRecord {
  const ms = momentIn(since ?? '')
  return {
    MembershipID: idOf(pair),
    LeadID: pair.lead,
    CampaignID: pair.campaign,
    Status: null,
    ExternalID: null,
    CreatedDate: new Date(ms ?? 0).toISOString(),
  }
}

function equalTo(where: readonly Condition[], field: string): Value | undefined {
  return where.find((condition) => condition.field === field && condition.operator === 'eq')?.value as Value | undefined
}

function missing(lead: string): DriverError {
  const message = `HubSpot has no lead ${lead} to put into a campaign.`
  return new DriverError('platform_rejected', message, { errors: [{ field: 'LeadID', code: 'not_found', message }] })
}
