import { CrmError } from '../../contract/errors.ts'
import { fold } from '../../contract/names.ts'
import { recordType } from '../../contract/operations.ts'
import { Campaign, Membership } from '../../contract/records/campaign.ts'
import type { EventName } from '../../contract/records/event.ts'
import { Lead } from '../../contract/records/lead.ts'
import type { StoredRecord, Writer } from '../../platforms/platform.ts'
import { notFound } from '../access/access.ts'
import { typeOn } from '../call/extension.ts'
import { getRecord, idOf, newRecord, parentField, type RecordOf, shown } from '../call/records.ts'
import type { Context, Prepared } from '../call/types.ts'
import { changeOn } from '../journal/changes.ts'
import { isOwn, visible } from './context.ts'
import { lockUnique, refuseTaken } from './unique-values.ts'

/** Attaches a note or a comment to a record: the one that the input has a text for. */
export function attach(context: Context): Prepared {
  const { caller, binding, operation, input } = context
  const type = operation.record
  const attached = typeOn(binding.platform, recordType(type.children.find((one) => input[one.type] !== undefined)?.type as string))
  return {
    on: type,
    async work(writer) {
      const parent = await visible(writer, context, type)
      const id = idOf(type, parent)
      const draft = newRecord(attached, writer.newId(), { ...input, [parentField(attached)]: id, AuthorID: caller.userId })
      const record = await writer.create(attached.name, draft, type.name)
      const answer = { ...shown(attached, record), [type.id]: id }
      return { answer, change: changeOn(type, parent, `${fold(attached.name)}_added` as EventName, null, answer) }
    },
  }
}

/** What a membership has beside its lead and its campaign. */
const DETAILS = ['Status', 'ExternalID'] as const

/** The details of a membership, as it was. */
export const detailsOf = (membership: StoredRecord): StoredRecord => Object.fromEntries(DETAILS.map((name) => [name, membership[name] ?? null]))

/** Makes a lead a member of a campaign; a membership that exists is answered as it is, with the values that are given. */
export function link(context: Context): Prepared {
  const { binding, input } = context
  const type = typeOn(binding.platform, Membership)
  const given = Object.fromEntries(DETAILS.flatMap((name) => ((input[name] ?? null) === null ? [] : [[name, input[name] as string]])))
  return {
    on: Lead,
    async work(writer) {
      await lockUnique(writer, type, given)
      const { lead, campaign, id, existing } = await membershipOf(writer, context)
      await refuseTaken(context, writer, type, given, id)
      const own = existing && (await isOwn(writer, Lead, 'added_to_campaign', lead.LeadID, ({ After }) => isIn(campaign, After)))
      if (existing && Object.entries(given).some(([name, value]) => existing[name] !== value)) {
        const after = shown(Membership, (await writer.update(Membership.name, id, given)) ?? { ...existing, ...given })
        return { answer: after, change: changeOn(Lead, lead, 'campaign_status_changed', shown(Membership, existing), after) }
      }
      if (existing && !own) return { answer: shown(Membership, existing) }
      const draft = newRecord(Membership, { id, at: writer.newId().at }, { ...given, LeadID: lead.LeadID, CampaignID: campaign.CampaignID })
      const record = existing ?? (await writer.create(Membership.name, draft))
      const answer = shown(Membership, record)
      return { answer, change: changeOn(Lead, lead, 'added_to_campaign', null, answer) }
    },
  }
}

export function unlink(context: Context): Prepared {
  return {
    on: Lead,
    async work(writer) {
      const { lead, campaign, id, existing } = await membershipOf(writer, context)
      const deleted = existing !== undefined && (await writer.delete(Membership.name, id))
      if (!deleted && !(await isOwn(writer, Lead, 'removed_from_campaign', lead.LeadID, ({ Before }) => Before === null || isIn(campaign, Before))))
        throw new CrmError('not_found', 'This lead is not in this campaign.', {
          errors: [{ field: 'CampaignID', code: 'not_found', message: 'This lead is not in this campaign.' }],
        })
      return {
        answer: { LeadID: lead.LeadID, CampaignID: campaign.CampaignID, Deleted: true },
        change: changeOn(Lead, lead, 'removed_from_campaign', existing ? shown(Membership, existing) : null, null),
      }
    },
  }
}

/** A lead the caller may see, a campaign, and the membership that exists of the two. */
async function membershipOf(writer: Writer, context: Context) {
  const lead = await visible(writer, context, Lead)
  const campaign = await campaignOf(writer, context.input.CampaignID as string)
  const id = membershipId(lead.LeadID, campaign.CampaignID)
  return { lead, campaign, id, existing: await getRecord(writer, Membership, id) }
}

/** Whether the image of a membership is one of this campaign. */
const isIn = ({ CampaignID }: StoredRecord, image: unknown) => Object(image).CampaignID === CampaignID

async function campaignOf(writer: Writer, id: string): Promise<RecordOf<typeof Campaign>> {
  const campaign = await writer.getForReference(Campaign.name, id)
  if (!campaign) throw notFound(Campaign, id, 'CampaignID', 'create_campaign makes one, get_many_campaigns lists those there are.')
  return campaign as RecordOf<typeof Campaign>
}

export const membershipId = (lead: string, campaign: string) => `${lead}:${campaign}`
