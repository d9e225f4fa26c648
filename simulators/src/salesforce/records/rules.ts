import { wrongField } from '../errors.ts'
import { STAGES } from '../objects/picklists.ts'
import type { Org } from '../org.ts'
import { round, type Value } from './values.ts'

export interface Draft {
  Id: string
  [field: string]: Value | undefined
}

interface Change {
  readonly org: Org
  readonly userId: string
  /** The record as it will be stored; rules set its derived fields. */
  readonly draft: Draft
  readonly before: { readonly [field: string]: Value | undefined } | undefined
  /** The values that were sent, by field name. */
  readonly given: { readonly [field: string]: Value }
}

const fullName = ({ FirstName, LastName }: Draft) => [FirstName, LastName].filter((part) => part != null).join(' ')

/** Derived fields and checks, by object. */
export const RULES: { readonly [object: string]: (change: Change) => void } = {
  Lead({ draft, before }) {
    if (before?.IsConverted) throw wrongField('CANNOT_UPDATE_CONVERTED_LEAD', 'cannot reference converted lead')
    draft.Name = fullName(draft)
  },
  Contact({ draft }) {
    draft.Name = fullName(draft)
  },
  User({ org, draft, before }) {
    draft.Name = fullName(draft)
    draft.Username = String(draft.Username).toLowerCase()
    if (!/^[^@\s]+@[^@\s]+\.[^@\s.]+$/.test(draft.Username)) {
      throw wrongField('INVALID_EMAIL_ADDRESS', 'Username: The username must be in the form of an email address (for example, john@acme.com).', 'Username')
    }
    if (before) return
    draft.Email ??= draft.Username
    draft.Alias ??= String(draft.LastName).slice(0, 8)
    draft.ProfileId ??= org.profiles.standard
    draft.UserType = 'Standard'
  },
  Opportunity({ org, draft, before, given }) {
    const stage = Object.hasOwn(STAGES, String(draft.StageName)) ? STAGES[String(draft.StageName)] : undefined
    const moved = draft.StageName !== before?.StageName
    draft.IsClosed = stage?.closed ?? false
    draft.IsWon = stage?.won ?? false
    if (moved && given.Probability == null) draft.Probability = stage?.probability ?? 0
    if (moved && given.ForecastCategoryName == null) draft.ForecastCategoryName = stage?.forecast ?? 'Pipeline'
    draft.ForecastCategory = FORECASTS[String(draft.ForecastCategoryName)] ?? 'Pipeline'
    if (before && moved) draft.LastStageChangeDate = org.now()
    draft.ExpectedRevenue = draft.Amount == null ? null : round((Number(draft.Amount) * Number(draft.Probability ?? 0)) / 100, 2)
    const [year, month] = String(draft.CloseDate).split('-').map(Number)
    draft.FiscalYear = year ?? null
    draft.FiscalQuarter = Math.ceil((month ?? 1) / 3)
    draft.Fiscal = `${draft.FiscalYear} ${draft.FiscalQuarter}`
  },
  Case({ org, draft, before }) {
    draft.CaseNumber ??= String(1000 + org.table(org.objectAt('Case')).count + 1).padStart(8, '0')
    draft.Status ??= 'New'
    draft.IsClosed = draft.Status === 'Closed'
    draft.ClosedDate = draft.IsClosed ? (before?.IsClosed ? before.ClosedDate : org.now()) : null
    const contact = draft.ContactId == null ? undefined : org.row(String(draft.ContactId))
    Object.assign(draft, { ContactPhone: contact?.Phone, ContactMobile: contact?.MobilePhone, ContactEmail: contact?.Email, ContactFax: contact?.Fax })
  },
  Campaign({ org, draft, before }) {
    if (before) return
    for (const [at, Label] of ['Sent', 'Responded'].entries()) {
      org.fill('CampaignMemberStatus', { CampaignId: draft.Id, Label, SortOrder: at + 1, IsDefault: at === 0, HasResponded: at === 1 })
    }
  },
  CampaignMember({ org, draft, before }) {
    if (draft.LeadId == null && draft.ContactId == null) throw wrongField('REQUIRED_FIELD_MISSING', 'Required fields are missing: [LeadId]', 'LeadId')
    const person = String(draft.LeadId ?? draft.ContactId)
    const members = org.table(org.objectAt('CampaignMember')).find(draft.LeadId != null ? 'LeadId' : 'ContactId', person)
    if (!before && members.some(({ CampaignId, IsDeleted }) => CampaignId === draft.CampaignId && !IsDeleted)) {
      throw wrongField('DUPLICATE_VALUE', 'Already a campaign member.')
    }
    draft.Status ??= 'Sent'
    draft.HasResponded = draft.Status === 'Responded'
    draft.FirstRespondedDate = draft.HasResponded ? (before?.FirstRespondedDate ?? org.now().slice(0, 10)) : null
    const row = org.row(person)
    for (const field of ['Salutation', 'Name', 'FirstName', 'LastName', 'Title', 'Email', 'Phone', 'LeadSource']) draft[field] = row?.[field]
    draft.CompanyOrAccount = row?.Company ?? null
    draft.Type = draft.LeadId != null ? 'Lead' : 'Contact'
    draft.LeadOrContactId = person
    draft.LeadOrContactOwnerId = row?.OwnerId
  },
  Task({ draft }) {
    draft.IsClosed = draft.Status === 'Completed'
  },
  ContentNote({ draft }) {
    const bytes = Buffer.from(String(draft.Content ?? ''), 'base64')
    Object.assign(draft, { ContentSize: bytes.length, TextPreview: bytes.toString('utf8').slice(0, 255), FileType: 'SNOTE', FileExtension: 'snote' })
    draft.LatestPublishedVersionId = `068${draft.Id.slice(3)}`
  },
}

const FORECASTS: { readonly [name: string]: string } = {
  Omitted: 'Omitted',
  Pipeline: 'Pipeline',
  'Best Case': 'BestCase',
  Commit: 'Forecast',
  Closed: 'Closed',
}
