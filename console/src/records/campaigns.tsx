import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { messageOf, useWrite } from '../data/write.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Card } from '../parts/page.tsx'
import { Nothing, RefusalLine } from '../parts/states.tsx'
import { useToast } from '../parts/toasts.tsx'
import { Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { PickDialog } from './pick-dialog.tsx'
import { nameOf, type RecordSchema, type Row, useRecordSchema } from './record-schema.ts'

interface Membership {
  readonly LeadID: string
  readonly CampaignID: string
  readonly CreatedDate: string
}

/** The campaigns a lead is in. */
export function Campaigns({ schema, row, onChanged }: { readonly schema: RecordSchema; readonly row: Row; readonly onChanged: () => void }) {
  const { crm, may } = useSession()
  const write = useWrite()
  const toast = useToast()
  const campaign = useRecordSchema('Campaign')
  const [picking, setPicking] = useState(false)
  const memberships = (row.Campaigns as readonly Membership[] | undefined) ?? []
  const ids = memberships.map(({ CampaignID }) => CampaignID)
  const readable = may('get_many_campaigns')
  const LeadID = String(row[schema.id])
  const { answer: names, error } = useAnswer(
    async (signal) => {
      if (ids.length === 0 || !readable) return new Map<string, string>()
      const { Records } = await crm.campaigns.getMany({ Filters: { CampaignID: { in: ids } }, Limit: 100 }, { signal })
      return new Map(Records.map(({ CampaignID, CampaignName }) => [CampaignID, CampaignName]))
    },
    [crm, ids.join(), readable],
  )
  const remove = async (CampaignID: string) => {
    try {
      const input = { LeadID, CampaignID }
      await write('Removed from the campaign.', (options) => crm.leads.removeFromCampaign(input, options), onChanged, { input })
      onChanged()
    } catch (refusal) {
      toast({ text: messageOf(refusal), bad: true })
    }
  }
  const total = Number(row.CampaignsTotal ?? ids.length)
  return (
    <Card
      title={`Campaigns (${total})`}
      acts={
        may('add_leads_to_campaign') &&
        readable && (
          <Button small icon="plus" onClick={() => setPicking(true)}>
            Add to campaign
          </Button>
        )
      }
    >
      {ids.length === 0 && <Nothing>Not in any campaign.</Nothing>}
      {error && <RefusalLine error={error} />}
      <ul className="record-list">
        {memberships.map(({ CampaignID, CreatedDate }) => {
          const name = names?.get(CampaignID) ?? `…${CampaignID.slice(-6)}`
          return (
            <li key={CampaignID}>
              <div className="record-line">
                {readable ? <Link to={['campaigns', CampaignID]}>{name}</Link> : name}
                <span className="soft">
                  since <Time at={CreatedDate} />
                </span>
                {may('remove_leads_from_campaign') && <IconButton icon="close" label={`Remove from ${name}`} small onClick={() => void remove(CampaignID)} />}
              </div>
            </li>
          )
        })}
      </ul>
      {total > ids.length && <p className="soft">Showing the newest {ids.length}.</p>}
      {picking && campaign && (
        <PickDialog
          schema={campaign}
          title="Add to a campaign"
          without={ids}
          onClose={() => setPicking(false)}
          onPick={async (picked) => {
            const CampaignID = String(picked[campaign.id])
            const input = { LeadID, CampaignID }
            await write(`Added to ${nameOf(campaign, picked)}.`, (options) => crm.leads.addToCampaign(input, options), onChanged, { input })
            setPicking(false)
            onChanged()
          }}
        />
      )}
    </Card>
  )
}
