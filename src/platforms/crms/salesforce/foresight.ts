import type { StoredRecord } from '../../platform.ts'
import { DriverError } from '../engine/errors.ts'
import type { Table } from '../engine/tables.ts'
import { fieldOf, initialValues, placeOf, toTheirWord } from '../engine/translation.ts'
import type { AccountTables } from './account-tables.ts'
import type { Api, Row } from './api.ts'
import { isId } from './ids.ts'
import { quoted } from './soql.ts'

/** What Salesforce adds by itself to what is written, for dry runs: the defaults of fields, and what follows from a stage or a campaign. */
export function createForesight(api: Api, account: AccountTables) {
  /** The first row of what an account may hide from us. */
  async function first(soql: string): Promise<Row | undefined> {
    const found = await api.query(soql).catch((error: unknown) => {
      if (error instanceof DriverError && (error.code === 'platform_rejected' || error.code === 'forbidden')) return undefined
      throw error
    })
    return found?.records[0]
  }

  async function ofStage(table: Table, values: StoredRecord, before: StoredRecord | undefined): Promise<StoredRecord> {
    const place = placeOf(table, 'Stage')
    if (table.object !== 'Opportunity' || place?.name !== 'StageName' || typeof values.Stage !== 'string' || values.Stage === before?.Stage) return {}
    const stage = quoted(String(toTheirWord(place, values.Stage)))
    const row = await first(`SELECT Id, DefaultProbability, ForecastCategoryName FROM OpportunityStage WHERE ApiName = ${stage} LIMIT 1`)
    const derived = { Probability: row?.DefaultProbability, ForecastCategoryName: row?.ForecastCategoryName }
    const fields = Object.entries(derived).flatMap(([theirs, value]) => {
      const ours = fieldOf(table, theirs)
      return value == null || !placeOf(table, ours) || (values[ours] ?? null) !== null ? [] : [[ours, value]]
    })
    return Object.fromEntries(fields)
  }

  /** Each campaign has statuses of its own for its members, one of which is the default. */
  async function ofCampaign(values: StoredRecord): Promise<StoredRecord> {
    const { CampaignID, Status } = values
    if (Status || typeof CampaignID !== 'string' || !isId(CampaignID)) return {}
    const row = await first(`SELECT Id, Label FROM CampaignMemberStatus WHERE CampaignId = ${quoted(CampaignID)} AND IsDefault = true LIMIT 1`)
    return typeof row?.Label === 'string' ? { Status: row.Label } : {}
  }

  return async (type: string, values: StoredRecord, before?: StoredRecord): Promise<StoredRecord> => {
    await account.current()
    const table = account.tables[type]
    if (!table) return {}
    const filled = before ? {} : initialValues(table, values)
    if (type === 'Membership') return { ...filled, ...(!before && (await ofCampaign(values))) }
    return type === 'Opportunity' ? { ...filled, ...(await ofStage(table, values, before)) } : filled
  }
}
