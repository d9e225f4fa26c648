import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { placeOf } from '../engine/translation.ts'
import type { Api, Row } from './api.ts'
import { isId } from './ids.ts'
import { columnsOf, slices, whereOf } from './selection.ts'
import { any, quoted } from './soql.ts'

/** Memberships asked for in one query. */
const TOGETHER = 50

/** Lead and campaign as the id of a membership names them; undefined where it cannot be one. */
export function pairOf(id: string): readonly [lead: string, campaign: string] | undefined {
  const [lead = '', campaign = '', ...rest] = id.split(':')
  return rest.length === 0 && isId(lead) && isId(campaign) ? [lead, campaign] : undefined
}

export const membershipId = (lead: unknown, campaign: unknown) => `${lead}:${campaign}`

/** The places of what a membership joins. */
function endsOf(table: Table): { readonly lead: string; readonly campaign: string } {
  const [lead, campaign] = [placeOf(table, 'LeadID'), placeOf(table, 'CampaignID')]
  if (!lead || !campaign) throw new DriverError('unsupported', 'The configuration has no place for the leads of campaigns.')
  return { lead: lead.name, campaign: campaign.name }
}

/** Members of a campaign may also be contacts, which are nothing to us. */
export const leadsOnly = (table: Table) => `${endsOf(table).lead} != null`

/** The rows of those of these memberships that there are. */
export async function membershipRows(api: Api, table: Table, ids: readonly string[]): Promise<Row[]> {
  const { lead, campaign } = endsOf(table)
  const pairs = ids.map(pairOf).filter((pair) => pair !== undefined)
  const rows: Row[] = []
  for (const some of slices(pairs, TOGETHER)) {
    const which = any(some.map(([of, to]) => `(${lead} = ${quoted(of)} AND ${campaign} = ${quoted(to)})`))
    rows.push(...(await api.everything(`SELECT ${columnsOf(table)} FROM ${table.object}${whereOf(table, { where: [] }, which)}`)))
  }
  return rows
}
