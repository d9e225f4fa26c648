import { Campaign, Membership } from '../../contract/campaign.ts'
import { CrmError } from '../../contract/errors.ts'
import { recordType } from '../../contract/operations.ts'
import type { Reader, StoredRecord } from '../../platforms/platform.ts'
import { notFound } from '../access.ts'
import { born, type Context, shown, visible, writing } from './context.ts'

/** Hangs a note or a comment on a record: whichever the input is named after. */
export async function attach(context: Context): Promise<unknown> {
  const { caller, operation, input } = context
  const type = operation.record
  const hanging = recordType(type.hanging.find((one) => input[one.type] !== undefined)?.type as string)
  return writing(context, async (writer) => {
    const parent = await visible(writer, caller, type, input[type.id] as string)
    const id = parent[type.id] as string
    const record = born(hanging, writer.birth(), { ...input, [hanging.hangsOn?.field as string]: id, AuthorID: caller.userId })
    await writer.create(hanging.name, record)
    return { ...shown(hanging, record), [type.id]: id }
  })
}

/** Makes a lead a member of a campaign; a membership that exists is answered as it is. */
export async function link(context: Context): Promise<unknown> {
  const { caller, operation, input } = context
  return writing(context, async (writer) => {
    const lead = await visible(writer, caller, operation.record, input.LeadID as string)
    const campaign = await campaignOf(writer, input.CampaignID as string)
    const id = membershipId(lead.LeadID as string, campaign.CampaignID as string)
    const existing = await writer.get(Membership.name, id)
    if (existing) return shown(Membership, existing)
    const record = born(Membership, { id, at: writer.birth().at }, { LeadID: lead.LeadID, CampaignID: campaign.CampaignID })
    await writer.create(Membership.name, record)
    return shown(Membership, record)
  })
}

export async function unlink(context: Context): Promise<unknown> {
  const { caller, input } = context
  return writing(context, async (writer) => {
    const lead = await visible(writer, caller, recordType('Lead'), input.LeadID as string)
    const campaign = await campaignOf(writer, input.CampaignID as string)
    const gone = await writer.delete(Membership.name, membershipId(lead.LeadID as string, campaign.CampaignID as string))
    if (!gone)
      throw new CrmError('not_found', 'This lead is not in this campaign.', {
        errors: [{ field: 'CampaignID', code: 'not_found', message: 'This lead is not in this campaign.' }],
      })
    return { LeadID: lead.LeadID, CampaignID: campaign.CampaignID, Deleted: true }
  })
}

async function campaignOf(reader: Reader, id: string): Promise<StoredRecord> {
  const campaign = await reader.get(Campaign.name, id)
  if (!campaign) throw notFound(Campaign, id, 'CampaignID', 'create_campaign makes one, get_many_campaigns lists those there are.')
  return campaign
}

const membershipId = (lead: string, campaign: string) => `${lead}:${campaign}`
