import type { CampaignSize, StoredRecord } from '../../platform.ts'
import type { ChangedPage, DriverPage, DriverQuery } from '../engine/driver.ts'
import { DriverError } from '../engine/errors.ts'
import { listByList } from '../engine/list-by-list.ts'
import type { Api, Row } from './api.ts'
import { ID } from './conditions.ts'
import { isMissing } from './errors.ts'
import { chunked } from './records.ts'
import { type Item, item } from './where.ts'

/** Target lists that hold the members of a campaign end in this, which distinguishes them from lists made by users. */
const MARK = ' (members)'
const LIST = 'TargetList'
const NAME_LENGTH = 255

/** A lead or a campaign, and when it was made. */
interface Known {
  readonly id: string
  readonly createdAt: string
}

/**
 * Which leads are in which campaigns. EspoCRM has one campaign for a lead at most, but any number of target lists, and target lists belong to
 * campaigns: so the members of a campaign are the leads on a list of its own. When a lead came on a list is not kept, so that a
 * membership is as old as the younger of the two.
 */
export class Memberships {
  private readonly api: Api
  private readonly objects: { readonly lead: string; readonly campaign: string }
  private readonly page: number
  private readonly coming = new Map<string, Promise<string>>()

  constructor(api: Api, objects: { readonly lead: string; readonly campaign: string }, page: number) {
    this.api = api
    this.objects = objects
    this.page = page
  }

  async get(ids: readonly string[]): Promise<StoredRecord[]> {
    const found = await Promise.all(ids.map((id) => this.one(...partsOf(id))))
    return found.filter((record) => record !== undefined)
  }

  private async one(lead: string, campaign: string): Promise<StoredRecord | undefined> {
    if (!ID.test(lead)) return undefined
    const { records } = await this.ofCampaign(campaign, { size: 1 }, [item('equals', 'id', lead)])
    return records[0]
  }

  async find({ where, size, cursor }: Pick<DriverQuery, 'where' | 'size' | 'cursor'>): Promise<DriverPage> {
    const lead = wantedIn(where, 'LeadID')
    const campaign = wantedIn(where, 'CampaignID')
    if (lead !== undefined && campaign !== undefined) return { records: await this.get([`${lead}:${campaign}`]) }
    if (lead !== undefined) return { records: await this.ofLead(lead) }
    if (campaign !== undefined) return this.ofCampaign(campaign, { size, cursor })
    throw new DriverError('unsupported', 'EspoCRM is asked for memberships by lead or by campaign.')
  }

  /** Those of all campaigns, which are as old as it is known. Two lists of one campaign may have the same lead. */
  all(cursor: string | undefined): Promise<ChangedPage> {
    const behind = (id: string | undefined) => (id ? [item('greaterThan', 'id', id)] : [])
    const lastOf = (page: readonly Known[]) => (page.length >= this.page ? page.at(-1)?.id : undefined)
    const lists = async (after: string) => {
      const page = await this.listed(LIST, [item('endsWith', 'name', MARK), ...behind(after)], this.page).catch(noneIfMissing)
      return { ids: page.map(({ id }) => id), next: lastOf(page) }
    }
    const members = async (list: string, after: string | undefined) => {
      const on = item('linkedWith', 'targetLists', [list])
      const leads = await this.listed(this.objects.lead, [on, ...behind(after)], this.page)
      const campaigns = leads.length > 0 ? await this.listed(this.objects.campaign, [on], this.page) : []
      const records = campaigns.flatMap((campaign) => leads.map((lead) => membership(lead, campaign)))
      return { records: records.map(onLead), next: lastOf(leads) }
    }
    return listByList({ lists, members }, cursor)
  }

  /** Members that are no leads count too, and a lead on two lists of a campaign twice. One request for every 200 lists, and one for every 200 campaigns. */
  async sizes(): Promise<Map<string, CampaignSize>> {
    const lists = new Map((await this.everyRow(LIST, ['entryCount'], [item('endsWith', 'name', MARK)])).map((row) => [row.id, Number(row.entryCount ?? 0)]))
    const campaigns = lists.size > 0 ? await this.everyRow(this.objects.campaign, ['targetListsIds']) : []
    const sizeOf = (ids: unknown) => (Array.isArray(ids) ? ids : []).reduce<number>((sum, id) => sum + (lists.get(id) ?? 0), 0)
    return new Map(campaigns.map((row) => [String(row.id), { size: sizeOf(row.targetListsIds) }]))
  }

  private async everyRow(object: string, attributes: readonly string[], where: readonly Item[] = []): Promise<Row[]> {
    const rows: Row[] = []
    for (let last: Row | undefined; ; ) {
      const behind = last ? [item('greaterThan', 'id', String(last.id))] : []
      const { list } = await this.api
        .list(object, { where: [...where, ...behind], select: ['id', ...attributes], orderBy: 'id', size: this.page })
        .catch(noRows)
      rows.push(...list)
      last = list.at(-1)
      if (list.length < this.page) return rows
    }
  }

  async count(query: Pick<DriverQuery, 'where'>): Promise<number> {
    const lead = wantedIn(query.where, 'LeadID')
    if (lead !== undefined && wantedIn(query.where, 'CampaignID') === undefined) return (await this.campaignsOf(lead)).length
    let count = 0
    let cursor: string | undefined
    do {
      const page = await this.find({ ...query, size: this.page, ...(cursor !== undefined && { cursor }) })
      count += page.records.length
      cursor = page.cursor
    } while (cursor !== undefined)
    return count
  }

  async create(record: StoredRecord): Promise<StoredRecord> {
    const lead = record.LeadID as string
    const campaign = record.CampaignID as string
    const list = await this.listFor(campaign)
    // Idempotent: adding a lead twice changes nothing, so it may be retried.
    await this.api.post(`${LIST}/${encodeURIComponent(list)}/leads`, { id: lead }, { reads: true })
    // It is a member by now: where that cannot be read, the call is reconciled, and not taken for refused.
    const [made] = await this.get([`${lead}:${campaign}`]).catch(() => [])
    if (!made) throw new DriverError('outcome_unknown', 'EspoCRM took the lead into the campaign, but does not show it.', { unknown: 'ended' })
    return made
  }

  async delete(id: string): Promise<boolean> {
    const [lead, campaign] = partsOf(id)
    if (!(await this.one(lead, campaign))) return false
    const lists = await this.listsOf(campaign)
    await Promise.all(lists.map((list) => this.api.delete(`${LIST}/${encodeURIComponent(list)}/leads`, { id: lead })))
    return true
  }

  private async ofLead(id: string): Promise<StoredRecord[]> {
    const [lead, campaigns] = await Promise.all([this.known(this.objects.lead, id), this.campaignsOf(id)])
    return lead ? campaigns.map((campaign) => membership(lead, campaign)) : []
  }

  private async campaignsOf(lead: string): Promise<Known[]> {
    const lists = await this.lists([item('linkedWith', 'leads', [lead])], lead)
    const campaigns = await Promise.all(
      chunked(lists, 50).map((some) => this.listed(this.objects.campaign, [item('linkedWith', 'targetLists', some)], this.page)),
    )
    return [...new Map(campaigns.flat().map((campaign) => [campaign.id, campaign])).values()]
  }

  private async ofCampaign(
    id: string,
    { size, cursor }: { readonly size: number; readonly cursor?: string | undefined },
    more: readonly Item[] = [],
  ): Promise<DriverPage> {
    const [campaign, lists] = await Promise.all([this.known(this.objects.campaign, id), this.listsOf(id)])
    if (!campaign || lists.length === 0) return { records: [] }
    const most = Math.max(1, Math.min(size, this.page))
    const behind = cursor === undefined ? [] : [item('greaterThan', 'id', cursor)]
    const leads = await this.listed(this.objects.lead, [item('linkedWith', 'targetLists', lists), ...more, ...behind], most)
    const last = leads.length >= most && more.length === 0 ? leads.at(-1) : undefined
    return { records: leads.map((lead) => membership(lead, campaign)), ...(last && { cursor: last.id }) }
  }

  /** The list that new members of a campaign come on. It is made for the first of them. */
  private async listFor(campaign: string): Promise<string> {
    const [first] = await this.listsOf(campaign)
    if (first !== undefined) return first
    const coming = this.coming.get(campaign) ?? this.newList(campaign).finally(() => this.coming.delete(campaign))
    this.coming.set(campaign, coming)
    return coming
  }

  /** Safe to retry: a second list with the same purpose does no harm. */
  private async newList(campaign: string): Promise<string> {
    const { name } = await this.api.read(this.objects.campaign, campaign)
    const plain = String(name ?? '').replace(/[<>=]/g, ' ')
    const title = `${[...plain].slice(0, NAME_LENGTH - MARK.length).join('')}${MARK}`
    const { id } = await this.api.post(LIST, { name: title, campaignsIds: [campaign] }, { reads: true, headers: { 'x-skip-duplicate-check': 'true' } })
    return String(id)
  }

  private listsOf(campaign: string): Promise<string[]> {
    return this.lists([item('linkedWith', 'campaigns', [campaign])], campaign)
  }

  private async lists(where: readonly Item[], id: string): Promise<string[]> {
    if (!ID.test(id)) return []
    const lists = await this.listed(LIST, [...where, item('endsWith', 'name', MARK)], this.page).catch(noneIfMissing)
    return lists.map((list) => list.id)
  }

  private async known(object: string, id: string): Promise<Known | undefined> {
    if (!ID.test(id)) return undefined
    return (await this.listed(object, [item('equals', 'id', id)], 1)).find((one) => one.id === id)
  }

  private async listed(object: string, where: readonly Item[], size: number): Promise<Known[]> {
    const { list } = await this.api.list(object, { where, select: ['id', 'createdAt'], orderBy: 'id', size })
    return list.map((row: Row) => ({ id: String(row.id), createdAt: String(row.createdAt) }))
  }
}

/** Without lists there are no members. */
function noneIfMissing(error: unknown): Known[] {
  if (isMissing(error)) return []
  throw error
}

function noRows(error: unknown): { readonly list: readonly Row[] } {
  if (isMissing(error)) return { list: [] }
  throw error
}

export const onLead = (record: StoredRecord) => ({ record, at: Date.parse(String(record.CreatedDate)), on: 'Lead' })

function membership(lead: Known, campaign: Known): StoredRecord {
  const since = lead.createdAt > campaign.createdAt ? lead.createdAt : campaign.createdAt
  return {
    MembershipID: `${lead.id}:${campaign.id}`,
    LeadID: lead.id,
    CampaignID: campaign.id,
    Status: null,
    ExternalID: null,
    CreatedDate: `${since.replace(' ', 'T')}.000Z`,
  }
}

function partsOf(id: string): [lead: string, campaign: string] {
  const [lead = '', campaign = ''] = id.split(':')
  return [lead, campaign]
}

function wantedIn(where: DriverQuery['where'], field: string): string | undefined {
  const found = where.find((condition) => condition.field === field && condition.operator === 'eq')
  return found && String(found.value)
}
