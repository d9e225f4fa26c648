import { CrmError } from '../../contract/errors.ts'
import { fold } from '../../contract/names.ts'
import { recordType } from '../../contract/operations.ts'
import { Campaign, Membership } from '../../contract/records/campaign.ts'
import type { Happening } from '../../contract/records/event.ts'
import { Lead } from '../../contract/records/lead.ts'
import type { StoredRecord, Writer } from '../../platforms/platform.ts'
import { notFound } from '../access/access.ts'
import { typeOn } from '../call/extension.ts'
import { newRecord, shown } from '../call/records.ts'
import type { Context, Input, Prepared } from '../call/types.ts'
import { happenedOn } from '../journal/changes.ts'
import { type Caller, platformOf } from '../service.ts'
import { isOwn, visible } from './context.ts'

/** Hangs a note or a comment on a record: whichever the input is named after. */
export function attach({ service, caller, operation, input }: Context): Prepared {
  const type = operation.record
  const hanging = typeOn(platformOf(service, caller.workspace), recordType(type.hanging.find((one) => input[one.type] !== undefined)?.type as string))
  return {
    on: type,
    async work(writer) {
      const parent = await visible(writer, caller, type, input[type.id] as string)
      const id = parent[type.id] as string
      const draft = newRecord(hanging, writer.newId(), { ...input, [hanging.hangsOn?.field as string]: id, AuthorID: caller.userId })
      const record = await writer.create(hanging.name, draft, type.name)
      const answer = { ...shown(hanging, record), [type.id]: id }
      return { answer, change: happenedOn(type, parent, `${fold(hanging.name)}_added` as Happening, null, answer) }
    },
  }
}

/** Makes a lead a member of a campaign; a membership that exists is answered as it is. */
export function link({ caller, input }: Context): Prepared {
  return {
    on: Lead,
    async work(writer) {
      const { lead, campaign, id, existing } = await membershipOf(writer, caller, input)
      const own = existing && (await isOwn(writer, Lead, 'added_to_campaign', lead.LeadID as string, ({ After }) => isIn(campaign, After)))
      if (existing && !own) return { answer: shown(Membership, existing) }
      const draft = newRecord(Membership, { id, at: writer.newId().at }, { LeadID: lead.LeadID, CampaignID: campaign.CampaignID })
      const record = existing ?? (await writer.create(Membership.name, draft))
      const answer = shown(Membership, record)
      return { answer, change: happenedOn(Lead, lead, 'added_to_campaign', null, answer) }
    },
  }
}

export function unlink({ caller, input }: Context): Prepared {
  return {
    on: Lead,
    async work(writer) {
      const { lead, campaign, id, existing } = await membershipOf(writer, caller, input)
      const deleted = existing !== undefined && (await writer.delete(Membership.name, id))
      if (!deleted && !(await isOwn(writer, Lead, 'removed_from_campaign', lead.LeadID as string, ({ Before }) => Before === null || isIn(campaign, Before))))
        throw new CrmError('not_found', 'This lead is not in this campaign.', {
          errors: [{ field: 'CampaignID', code: 'not_found', message: 'This lead is not in this campaign.' }],
        })
      return {
        answer: { LeadID: lead.LeadID, CampaignID: campaign.CampaignID, Deleted: true },
        change: happenedOn(Lead, lead, 'removed_from_campaign', existing ? shown(Membership, existing) : null, null),
      }
    },
  }
}

/** A lead the caller may see, a campaign, and whether the one is in the other. */
async function membershipOf(writer: Writer, caller: Caller, input: Input) {
  const lead = await visible(writer, caller, Lead, input.LeadID as string)
  const campaign = await campaignOf(writer, input.CampaignID as string)
  const id = membershipId(lead.LeadID as string, campaign.CampaignID as string)
  return { lead, campaign, id, existing: await writer.get(Membership.name, id) }
}

/** Whether the image of a membership is one of this campaign. */
const isIn = ({ CampaignID }: StoredRecord, image: unknown) => Object(image).CampaignID === CampaignID

async function campaignOf(writer: Writer, id: string): Promise<StoredRecord> {
  const campaign = await writer.getForReference(Campaign.name, id)
  if (!campaign) throw notFound(Campaign, id, 'CampaignID', 'create_campaign makes one, get_many_campaigns lists those there are.')
  return campaign
}

export const membershipId = (lead: string, campaign: string) => `${lead}:${campaign}`
