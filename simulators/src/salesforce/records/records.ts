import { isDeleted, noReference, noResource, Refusal, wrongField } from '../errors.ts'
import { type Field, isRequired } from '../objects/fields.ts'
import type { SObject } from '../objects/objects.ts'
import type { Org } from '../org.ts'
import { refuseDuplicate } from './duplicates.ts'
import { readId } from './ids.ts'
import { type Draft, RULES } from './rules.ts'
import type { Row } from './table.ts'
import { readValue, type Value } from './values.ts'

export interface Session {
  readonly userId: string
  /** Such as `v66.0`. */
  readonly version: string
  /** Whether the client saves what a duplicate rule only warns of. */
  readonly allowsDuplicates?: boolean
}

export type Given = { readonly [field: string]: unknown }

/** Creates a record and returns its id. */
export function create(org: Org, session: Session, object: SObject, given: Given): string {
  const { userId } = session
  if (!object.createable) throw wrongField('INVALID_TYPE_FOR_OPERATION', `entity type cannot be inserted: ${object.name}`)
  const fields = fieldsOf(org, object, given, 'createable')
  const values = valuesOf(fields)
  const missing = [...object.fields.values()].filter((field) => isRequired(field) && values[field.name] == null).map(({ name }) => name)
  if (missing.length > 0) throw wrongField('REQUIRED_FIELD_MISSING', `Required fields are missing: [${missing.join(', ')}]`, ...missing)
  return org.atomically(() => {
    const draft: Draft = { Id: org.newId(object), IsDeleted: false, ...defaultsOf(org, object, userId) }
    for (const [name, value] of Object.entries(values)) if (value !== null || object.fields.get(name.toLowerCase())?.nillable) draft[name] = value
    Object.assign(draft, { CreatedDate: org.now(), CreatedById: userId })
    if (object.name === 'Lead') refuseDuplicate(org, session, draft)
    save(org, userId, object, draft, undefined, values)
    return draft.Id
  })
}

function defaultsOf(org: Org, object: SObject, userId: string): { [field: string]: Value } {
  const defaults: { [field: string]: Value } = {}
  for (const { name, defaultValue, autoNumber } of object.fields.values()) {
    if (defaultValue !== null) defaults[name] = autoNumber ? numbered(String(defaultValue), org.table(object).count + 1) : defaultValue
  }
  if (object.fields.has('ownerid')) defaults.OwnerId = userId
  return defaults
}

/** `Boat-{0000}` of the seventh record is Boat-0007. */
const numbered = (format: string, number: number) => format.replace(/\{(0+)\}/, (_whole, zeros: string) => String(number).padStart(zeros.length, '0'))

export function update(org: Org, { userId }: Session, object: SObject, id: string, given: Given): void {
  const before = existing(org, object, id)
  if (!object.updateable) throw wrongField('INVALID_TYPE_FOR_OPERATION', `entity type cannot be updated: ${object.name}`)
  if (Object.keys(given).some((name) => name.toLowerCase() === 'id')) {
    throw wrongField('INVALID_FIELD', 'The Id field should not be specified in the sobject data.', 'Id')
  }
  const fields = fieldsOf(org, object, given, 'updateable')
  const values = valuesOf(fields)
  if (fields.some(([{ name }]) => name === 'OwnerId') && values.OwnerId === null) {
    throw wrongField('INVALID_CROSS_REFERENCE_KEY', 'Owner ID: owner cannot be blank', 'OwnerId')
  }
  const emptied = fields.filter(([field]) => !field.nillable && values[field.name] === null).map(([{ name }]) => name)
  if (emptied.length > 0) throw wrongField('REQUIRED_FIELD_MISSING', `Required fields are missing: [${emptied.join(', ')}]`, ...emptied)
  org.atomically(() => save(org, userId, object, { ...before, ...values }, before, values))
}

/** The fields of a write with their values; refuses unknown, read-only and hidden ones. */
function fieldsOf(org: Org, object: SObject, given: Given, may: 'createable' | 'updateable'): [Field, unknown][] {
  const fields: [Field, unknown][] = []
  const closed: string[] = []
  for (const [name, value] of Object.entries(given)) {
    if (name === 'attributes') continue
    const field = object.fields.get(name.toLowerCase())
    if (!field) throw new Refusal(400, 'INVALID_FIELD', `No such column '${name}' on sobject of type ${object.name}`)
    if (!field[may] || org.schema.isHidden(object, field)) closed.push(field.name)
    fields.push([field, value])
  }
  if (closed.length === 0) return fields
  const message = `Unable to create/update fields: ${closed.join(', ')}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`
  throw wrongField('INVALID_FIELD_FOR_INSERT_UPDATE', message, ...closed)
}

function valuesOf(fields: readonly [Field, unknown][]): { [field: string]: Value } {
  const values: { [field: string]: Value } = {}
  for (const [field, value] of fields) values[field.name] = readValue(field, value)
  return values
}

function save(org: Org, userId: string, object: SObject, draft: Draft, before: Row | undefined, given: { readonly [field: string]: Value }): void {
  for (const [name, value] of Object.entries(given)) {
    const field = object.fields.get(name.toLowerCase())
    if (field?.type === 'reference' && typeof value === 'string') checkReference(org, object, field, value)
    if (field?.unique && typeof value === 'string') checkUnique(org, object, field, value, draft.Id)
  }
  RULES[object.name]?.({ org, userId, draft, before, given })
  const { Comments, ...row } = draft
  Object.assign(row, org.stamps(userId))
  // A custom record without a name is named by its id.
  if (object.custom) row.Name ??= draft.Id.slice(0, 15)
  for (const name of Object.keys(row)) if (row[name] === null || row[name] === undefined) delete row[name]
  org.table(object).put(row as Row)
  // Case.Comments is write-only: it creates a comment.
  if (typeof Comments === 'string') create(org, { userId, version: '' }, org.objectAt('CaseComment'), { ParentId: draft.Id, CommentBody: Comments })
  if (object.name === 'CampaignMember') countMembers(org, row as Row, before ? 0 : 1, Number(row.HasResponded) - Number(before?.HasResponded ?? false))
  if (object.name === 'Opportunity' && !before && typeof row.ContactId === 'string') {
    create(org, { userId, version: '' }, org.objectAt('OpportunityContactRole'), { OpportunityId: row.Id, ContactId: row.ContactId, IsPrimary: true })
  }
  if (object.name === 'OpportunityContactRole') showPrimary(org, row as Row)
  if (object.name === 'ContentNote') org.table(org.objectAt('ContentDocument')).put({ ...(row as Row), Content: undefined })
}

function checkReference(org: Org, object: SObject, field: Field, id: string): void {
  const target = org.schema.objectOf(id)
  if (!target || !org.schema.targets(field).includes(target)) {
    throw wrongField('FIELD_INTEGRITY_EXCEPTION', `${field.label}: id value of incorrect type: ${id}`, field.name)
  }
  const row = org.row(id)
  if (!row) throw noReference()
  if (row.IsDeleted) throw wrongField('ENTITY_IS_DELETED', 'entity is deleted')
  if (field.name === 'OwnerId' && row.IsActive === false) {
    throw wrongField('INACTIVE_OWNER_OR_USER', `operation performed with inactive user [${id}] as owner of ${object.label.toLowerCase()}`)
  }
}

export function checkUnique(org: Org, object: SObject, field: Field, value: Value, id: string): void {
  const other = org
    .table(object)
    .find(field.name, value)
    .find((row) => row.Id !== id && !row.IsDeleted)
  if (!other) return
  if (object.name === 'User') {
    throw wrongField(
      'DUPLICATE_USERNAME',
      'Duplicate Username.<br>The username already exists in this or another Salesforce organization. Usernames must be unique across all Salesforce organizations. To resolve, use a different username (it doesn’t need to match the user’s email address).',
      'Username',
    )
  }
  throw wrongField('DUPLICATE_VALUE', `duplicate value found: ${field.name} duplicates value on record with id: ${other.Id.slice(0, 15)}`)
}

/** The contact of an opportunity is the one with the primary role, of which there is one at most; the opportunity's LastModifiedDate stays. */
export function showPrimary(org: Org, role: Row): void {
  const roles = org.table(org.objectAt('OpportunityContactRole'))
  const opportunity = org.row(String(role.OpportunityId))
  if (!opportunity || opportunity.IsDeleted) return
  const others = roles.find('OpportunityId', opportunity.Id).filter((row) => row.Id !== role.Id && !row.IsDeleted)
  const holds = role.IsPrimary === true && !role.IsDeleted
  if (holds) for (const other of others) if (other.IsPrimary) roles.put({ ...other, IsPrimary: false, SystemModstamp: org.now() })
  const primary = holds ? role : others.find(({ IsPrimary }) => IsPrimary)
  const { ContactId: _, ...rest } = opportunity
  org.table(org.objectAt('Opportunity')).put({ ...rest, ...(primary && { ContactId: primary.ContactId }), SystemModstamp: org.now() } as Row)
}

/** Updates the member counts of a campaign; its LastModifiedDate stays. */
export function countMembers(org: Org, member: Row, more: number, responded: number): void {
  const campaign = org.row(String(member.CampaignId))
  if (!campaign) return
  const counted = member.LeadId ? 'NumberOfLeads' : 'NumberOfContacts'
  org.table(org.objectAt('Campaign')).put({
    ...campaign,
    [counted]: Number(campaign[counted] ?? 0) + more,
    NumberOfResponses: Number(campaign.NumberOfResponses ?? 0) + responded,
    SystemModstamp: org.now(),
  })
}

/** Deletes a record with its cascading children, and clears other references to it. */
export function remove(org: Org, { userId }: Session, object: SObject, id: string): void {
  const row = existing(org, object, id)
  if (!object.deletable) throw wrongField('INVALID_TYPE_FOR_OPERATION', `entity type cannot be deleted: ${object.name}`)
  org.atomically(() => removeRow(org, userId, object, row))
}

/** Accounts and contacts with cases cannot be deleted. */
function refuseWithCases(org: Org, object: SObject, row: Row): void {
  const field = { Account: 'AccountId', Contact: 'ContactId' }[object.name]
  const cases = field === undefined ? [] : org.table(org.objectAt('Case')).find(field, row.Id)
  const open = cases.filter(({ IsDeleted }) => !IsDeleted).map(({ CaseNumber }) => CaseNumber)
  if (open.length === 0) return
  const message = `Your attempt to delete ${row.Name} could not be completed because it is associated with the following cases.: ${open.join(', ')}`
  throw wrongField('DELETE_FAILED', message)
}

/** Where a record keeps the reference that was cleared because its target was deleted. */
export const clearedName = ({ name }: Field) => `${name}#`

export function removeRow(org: Org, userId: string, object: SObject, row: Row, deletedWith = row.Id): void {
  refuseWithCases(org, object, row)
  org.table(object).put({ ...row, IsDeleted: true, deletedWith, ...org.stamps(userId) })
  for (const { object: child, field } of org.schema.children(object)) {
    const table = org.table(child)
    for (const dependent of table.find(field.name, row.Id)) {
      if (dependent.IsDeleted) {
        // A child that was deleted before its parent cannot be restored any more.
        if (field.cascade && dependent.deletedWith !== deletedWith) table.put({ ...dependent, emptiedAt: dependent.emptiedAt ?? Number(org.world.now()) })
      } else if (field.cascade) removeRow(org, userId, child, dependent, deletedWith)
      else if (field.nillable) table.put({ ...dependent, [field.name]: undefined, [clearedName(field)]: row.Id, SystemModstamp: org.now() })
    }
  }
  if (object.name === 'CampaignMember') countMembers(org, row, -1, -Number(row.HasResponded ?? false))
  if (object.name === 'OpportunityContactRole') showPrimary(org, { ...row, IsDeleted: true })
  const twin = PAIRED[object.name]
  const other = twin && org.table(org.objectAt(twin)).rows.get(row.Id)
  if (twin && other && !other.IsDeleted) removeRow(org, userId, org.objectAt(twin), other, deletedWith)
}

/** A content note and its document are deleted together. */
export const PAIRED: { readonly [object: string]: string } = { ContentNote: 'ContentDocument', ContentDocument: 'ContentNote' }

/** A record by its id of 15 or 18 characters. */
export function existing(org: Org, object: SObject, rawId: string): Row {
  const id = readId(rawId)
  if (id === undefined) {
    if (rawId.length === 15 || rawId.length === 18) throw new Refusal(400, 'MALFORMED_ID', `malformed id ${rawId}`)
    throw new Refusal(404, 'NOT_FOUND', `Provided external ID field does not exist or is not accessible: ${rawId}`)
  }
  const row = org.table(object).rows.get(id)
  if (!row) throw noResource()
  if (row.IsDeleted) throw isDeleted()
  return row
}

/** The records with this value in an id or external id field. */
export function identified(org: Org, object: SObject, name: string, value: string): { readonly field: Field; readonly rows: readonly Row[] } {
  const field = org.schema.field(object, name)
  if (!field || !(field.externalId || field.idLookup)) {
    throw new Refusal(404, 'NOT_FOUND', `Provided external ID field does not exist or is not accessible: ${name}`)
  }
  if (field.name === 'Id') return { field, rows: [existing(org, object, value)] }
  const read = readValue(field, value)
  return {
    field,
    rows:
      read === null
        ? []
        : org
            .table(object)
            .find(field.name, read)
            .filter((row) => !row.IsDeleted),
  }
}

/** Updates the record with this value in an external id field, or creates one. */
export function upsert(
  org: Org,
  session: Session,
  object: SObject,
  name: string,
  value: string,
  given: Given,
): { readonly id: string; readonly created: boolean } {
  const { field, rows } = identified(org, object, name, value)
  if (rows.length > 1) throw new MultipleChoices(rows)
  if (Object.keys(given).some((key) => key.toLowerCase() === field.name.toLowerCase())) {
    const message = `The ${field.name} field should not be specified in the sobject data.`
    throw wrongField('INVALID_FIELD', message, field.name)
  }
  const [row] = rows
  if (row) {
    update(org, session, object, row.Id, given)
    return { id: row.Id, created: false }
  }
  return { id: create(org, session, object, { ...given, [field.name]: value }), created: true }
}

export class MultipleChoices extends Refusal {
  readonly rows: readonly Row[]

  constructor(rows: readonly Row[]) {
    super(300, 'MULTIPLE_CHOICES', 'More than one record found for external id')
    this.rows = rows
  }
}
