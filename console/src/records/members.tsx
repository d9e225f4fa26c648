import { useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { useWrite } from '../data/write.ts'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/page.tsx'
import { Nothing, RefusalLine, Skeleton } from '../parts/states.tsx'
import { Time } from '../parts/values.tsx'
import { Words } from '../parts/words.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { PickDialog } from './pick-dialog.tsx'
import { nameOf, type RecordSchema, type Row, useRecordSchema } from './record-schema.ts'

const LOOKED_THROUGH = 1000
const SHOWN = 50

const JOINED = 'lead.added_to_campaign'
const LEFT = 'lead.removed_from_campaign'

/** The leads recently added to a campaign. No operation lists the leads of a campaign, so they are taken from the journal. */
export function Members({ schema, row, version }: { readonly schema: RecordSchema; readonly row: Row; readonly version: number }) {
  const { crm, may } = useSession()
  const write = useWrite()
  const lead = useRecordSchema('Lead')
  const [picking, setPicking] = useState(false)
  const CampaignID = String(row[schema.id])
  const { answer, error, reload } = useAnswer(
    async (signal) => {
      const { Records } = await crm.changes.getMany({ Filters: { EventType: { in: [JOINED, LEFT] }, Outcome: 'ok' }, Limit: LOOKED_THROUGH }, { signal })
      const newest = new Map<string, { readonly joined: boolean; readonly at: string }>()
      for (const { RecordID, EventType, Before, After, At } of Records)
        if (RecordID && (After ?? Before)?.CampaignID === CampaignID && !newest.has(RecordID)) newest.set(RecordID, { joined: EventType === JOINED, at: At })
      const members = [...newest].filter(([, { joined }]) => joined).slice(0, SHOWN)
      const leads =
        members.length > 0 && may('get_many_leads')
          ? (await crm.leads.getMany({ Filters: { LeadID: { in: members.map(([id]) => id) } }, Limit: SHOWN, Select: ['FirstName', 'LastName'] }, { signal }))
              .Records
          : []
      return members.flatMap(([id, { at }]) => leads.filter(({ LeadID }) => LeadID === id).map((one) => ({ one, at })))
    },
    [crm, may, CampaignID, version],
  )
  return (
    <Card
      title="Recently added leads"
      acts={
        may('add_leads_to_campaign') &&
        may('get_many_leads') && (
          <Button small icon="plus" onClick={() => setPicking(true)}>
            Add lead
          </Button>
        )
      }
    >
      {error && <RefusalLine error={error} />}
      {!answer && !error && <Skeleton height="6rem" />}
      {answer?.length === 0 && <Nothing>No leads were added recently.</Nothing>}
      <ul className="record-list">
        {answer?.map(({ one, at }) => (
          <li key={one.LeadID}>
            <div className="record-line">
              <Link to={['leads', one.LeadID]}>
                <Words>{lead ? nameOf(lead, one) : one.LeadID}</Words>
              </Link>
              <span className="soft">
                <Time at={at} />
              </span>
            </div>
          </li>
        ))}
      </ul>
      {picking && lead && (
        <PickDialog
          schema={lead}
          title={`Add a lead to ${nameOf(schema, row)}`}
          without={answer?.map(({ one }) => one.LeadID) ?? []}
          onClose={() => setPicking(false)}
          onPick={async (picked) => {
            const input = { LeadID: String(picked[lead.id]), CampaignID }
            await write(`${nameOf(lead, picked)} added.`, (options) => crm.leads.addToCampaign(input, options), reload, { input })
            setPicking(false)
            reload()
          }}
        />
      )}
    </Card>
  )
}
