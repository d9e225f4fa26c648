import * as described from './describe.ts'
import { CrmError } from './errors.ts'
import { fold } from './names.ts'
import { nearestOperations } from './nearest-operations.ts'
import type { Operation } from './operation.ts'
import type { RecordType } from './record.ts'
import * as campaign from './records/campaign.ts'
import * as cases from './records/case.ts'
import * as change from './records/change.ts'
import * as comment from './records/comment.ts'
import * as company from './records/company.ts'
import * as connection from './records/connection.ts'
import * as contact from './records/contact.ts'
import * as customField from './records/custom-field.ts'
import * as customObject from './records/custom-object.ts'
import { getManyEvents } from './records/event.ts'
import * as key from './records/key.ts'
import * as lead from './records/lead.ts'
import * as note from './records/note.ts'
import * as opportunity from './records/opportunity.ts'
import * as ownField from './records/own-field.ts'
import * as plan from './records/plan.ts'
import * as user from './records/user.ts'
import * as webhook from './records/webhook.ts'
import * as workspace from './records/workspace.ts'
import { search } from './search.ts'
import { quoted } from './visible-text.ts'

/** All operations: the 27 of the source document in its order, then the extensions. */
export const OPERATIONS = [
  lead.createALead,
  lead.getLeads,
  lead.getManyLeads,
  lead.getSummaryOfLeads,
  lead.updateLead,
  lead.deleteLead,
  lead.addNotesToLeads,
  lead.addLeadsToCampaign,
  opportunity.createOpportunity,
  opportunity.getOpportunity,
  opportunity.getManyOpportunities,
  opportunity.getSummaryOpportunity,
  opportunity.updateOpportunity,
  opportunity.opportunityDelete,
  opportunity.addNotesToOpportunity,
  cases.createCase,
  cases.getCase,
  cases.getManyCases,
  cases.caseGetSummary,
  cases.updateCase,
  cases.caseDelete,
  cases.addComment,
  customObject.createCustomObject,
  customObject.getCustomObject,
  customObject.getManyCustomObjects,
  customObject.updateCustomObject,
  customObject.deleteCustomObject,
  customField.updateCustomField,
  customField.deleteCustomField,
  lead.upsertLead,
  lead.convertLead,
  opportunity.upsertOpportunity,
  cases.upsertCase,
  customObject.upsertCustomObject,
  company.createCompany,
  company.getCompany,
  company.getManyCompanies,
  company.updateCompany,
  company.deleteCompany,
  company.addNotesToCompany,
  company.upsertCompany,
  contact.createContact,
  contact.getContact,
  contact.getManyContacts,
  contact.updateContact,
  contact.deleteContact,
  contact.addNotesToContact,
  contact.upsertContact,
  campaign.createCampaign,
  campaign.getManyCampaigns,
  campaign.removeLeadsFromCampaign,
  note.getManyNotes,
  comment.getManyComments,
  search,
  described.describe,
  ownField.defineField,
  ownField.updateOwnField,
  ownField.retireField,
  user.getCurrentUser,
  user.createUser,
  user.getManyUsers,
  user.updateUser,
  key.createKey,
  key.getManyKeys,
  key.revokeKey,
  change.getManyChanges,
  getManyEvents,
  change.undoChange,
  change.eraseRecord,
  plan.getManyPlans,
  plan.allowPlan,
  plan.refusePlan,
  webhook.createWebhook,
  webhook.getManyWebhooks,
  webhook.updateWebhook,
  webhook.deleteWebhook,
  webhook.rotateWebhookSecret,
  webhook.testWebhook,
  webhook.getManyDeliveries,
  webhook.getManyAttempts,
  webhook.replayDeliveries,
  connection.createConnection,
  connection.getManyConnections,
  connection.updateConnection,
  connection.testConnection,
  connection.getMirror,
  connection.authorizeConnection,
  connection.completeConnection,
  connection.deleteConnection,
  workspace.createWorkspace,
  workspace.getManyWorkspaces,
  workspace.updateWorkspace,
  workspace.pauseWorkspace,
  workspace.resumeWorkspace,
  workspace.deleteWorkspace,
] as const satisfies readonly Operation[]

/** Every record type; the store keeps all of them. */
export const RECORD_TYPES: readonly RecordType[] = [
  lead.Lead,
  opportunity.Opportunity,
  cases.Case,
  company.Company,
  contact.Contact,
  customObject.CustomObject,
  customObject.Definition,
  campaign.Campaign,
  campaign.Membership,
  note.Note,
  comment.Comment,
  user.User,
  key.Key,
  change.Change,
  webhook.Webhook,
  webhook.Delivery,
  webhook.Attempt,
  plan.Plan,
  ownField.OwnField,
  connection.Connection,
  connection.ConnectionToken,
  workspace.Workspace,
]

/** The record types that are kept in the store even when the others are kept in a CRM. */
export const STORE_TYPES: readonly string[] = RECORD_TYPES.filter(({ inStore }) => inStore).map(({ name }) => name)

/** The record types that every process caches: they define access, fields, where records live, and which workspaces are served. */
export const CACHED_TYPES: readonly string[] = [user.User, key.Key, ownField.OwnField, connection.Connection, workspace.Workspace].map(({ name }) => name)

/** Whether what the processes cache is no longer right once these fields of a record were written; without names, once it was created or deleted. */
export const changesCached = (type: string, names?: readonly string[]): boolean =>
  CACHED_TYPES.includes(type) && !(type === key.Key.name && names?.every((name) => name === 'LastUsedDate'))

const byId = new Map<string, Operation>(OPERATIONS.map((operation) => [operation.id, operation]))
const recordTypes = new Map(RECORD_TYPES.map((type) => [type.name, type]))

/** The operation of a name in any spelling. */
export const operationNamed = (name: string): Operation | undefined => byId.get(name) ?? byId.get(fold(name))

export function findOperation(name: string): Operation {
  const found = operationNamed(name)
  if (found) return found
  const near = nearestOperations(name, OPERATIONS)
  throw new CrmError('not_found', `There is no operation called ${quote(name)}.`, {
    hint: near.length > 0 ? `Nearest: ${near.join(', ')}. GET /v1/operations lists them all.` : 'GET /v1/operations lists them all.',
    errors: [{ field: 'Operation', code: 'unknown', message: `There is no operation called ${quote(name)}.`, ...(near[0] && { didYouMean: near[0] }) }],
  })
}

export function recordType(name: string): RecordType {
  const found = recordTypes.get(name)
  if (!found) throw new Error(`No record type ${name}`)
  return found
}

/** A caller's text for a message: shortened, and escaped so that it is safe in a terminal or a log, and no character is unseen. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text
  return quoted(short.toWellFormed())
}
