import { isObject, type Json } from '../../json.ts'
import { associate, type Link, linksIn, mustLink } from '../associations/links.ts'
import { kindOf, listIn } from '../call.ts'
import { badProperties, conflict, invalid, missingFields, missingScopes, type Problem, unreadable } from '../errors.ts'
import type { ObjectType, Portal } from '../portal.ts'
import { checkRules } from '../properties/rules.ts'
import { readValue } from '../properties/values.ts'
import { type StoredRecord, uniqueKey, type Values } from './records.ts'

/** Unique values of earlier inputs of the batch that are checked but not yet written. */
export type Claims = Set<string>

/** A checked write. */
export interface Prepared {
  readonly sent: readonly string[]
  commit(): StoredRecord
}

/** Checks a new record completely, so that `commit` cannot fail. */
export function prepareCreate(portal: Portal, type: ObjectType, input: Json, claims: Claims = new Set()): Prepared {
  const sent = propertiesIn(input)
  const links = linksIn(portal, type, listIn(input, 'associations') ?? [])
  const values = merged(portal, type, withDefaults(type, sent), undefined)
  if (type.id === '0-1' && !['email', 'firstname', 'lastname'].some((name) => sent[name])) {
    throw invalid('At least one of the properties email, firstname and lastname must be set.', { context: { properties: ['email', 'firstname', 'lastname'] } })
  }
  const unset = type.required.filter((name) => values[name] === undefined)
  if (unset.length > 0) {
    const message = `Error creating ${type.singular.toUpperCase()}. Some required properties were not set.`
    throw invalid(message, { errors: [{ message, code: 'REQUIRED_PROPERTY_MISSING', context: { properties: unset } }], context: { properties: unset } })
  }
  mustLink(type, links)
  claim(portal, type, values, undefined, claims)
  return { sent: Object.keys(sent), commit: () => create(portal, type, values, links) }
}

function create(portal: Portal, type: ObjectType, values: Values, links: readonly Link[]): StoredRecord {
  const record = type.records.add(portal.nextId(), byUser(portal, values, true), portal.moment())
  for (const link of links) associate(portal, link.type, record.id, link.toId)
  portal.calculateLater(type, record)
  return record
}

export function prepareUpdate(portal: Portal, type: ObjectType, record: StoredRecord, input: Json, claims: Claims = new Set()): Prepared {
  const sent = propertiesIn(input)
  if (Object.keys(sent).length === 0) throw invalid('No properties found to update, please provide at least one.', { context: { properties: ['{}'] } })
  const values = merged(portal, type, sent, record)
  claim(portal, type, values, record, claims)
  return {
    sent: Object.keys(sent),
    /** A write that changes nothing leaves the modified date as it is. */
    commit() {
      if (isSame(values, record.values)) return record
      type.records.write(record, byUser(portal, values), portal.moment())
      portal.calculateLater(type, record)
      return record
    },
  }
}

/** The values with who wrote them: a person by the user id; an app, which is no user, not at all (an assumption, HubSpot's documentation does not say). */
export function byUser({ userId }: Portal, values: Values, isNew = false): Values {
  const { hs_updated_by_user_id: _, ...rest } = values
  if (userId === undefined) return Object.assign(Object.create(null), rest)
  const user = String(userId)
  return Object.assign(Object.create(null), rest, { hs_updated_by_user_id: user, ...(isNew && { hs_created_by_user_id: user }) })
}

const isSame = (one: Values, other: Values) => Object.keys({ ...one, ...other }).every((name) => one[name] === other[name])

/** The sent properties as texts. Like an empty text, null clears a property. */
function propertiesIn(input: Json): { [name: string]: string } {
  const { properties } = input
  if (properties === undefined || properties === null) throw missingFields(['properties'])
  if (!isObject(properties)) throw unreadable(`Cannot deserialize value of type \`java.util.LinkedHashMap\` from ${kindOf(properties)} value`)
  const texts: { [name: string]: string } = Object.create(null)
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'object' && value !== null)
      throw unreadable(`Cannot deserialize value of type \`java.lang.String\` from ${kindOf(value)} value (${name})`)
    texts[name] = value === null ? '' : String(value)
  }
  return texts
}

/** Adds the defaults of a new record; a lead without stage gets the first one of its pipeline. */
function withDefaults(type: ObjectType, sent: Values): Values {
  const values: { [name: string]: string } = Object.assign(Object.create(null), sent)
  for (const [name, value] of Object.entries(type.defaults)) if (!values[name]) values[name] = value
  if (type.id === '0-136' && !values.hs_pipeline_stage) {
    const stage = type.pipelines?.find(({ id }) => id === values.hs_pipeline)?.stages[0]
    if (stage) values.hs_pipeline_stage = stage.id
  }
  return values
}

/** The values after the write; all problems are reported at once. */
function merged(portal: Portal, type: ObjectType, sent: Values, record: StoredRecord | undefined): Values {
  const values: { [name: string]: string } = Object.assign(Object.create(null), record?.values)
  const problems: Problem[] = []
  for (const [name, text] of Object.entries(sent)) {
    const property = type.fields.get(name)
    if (!property) {
      problems.push({ name, error: 'PROPERTY_DOESNT_EXIST', message: `Property "${name}" does not exist` })
      continue
    }
    if (portal.hides(type, name)) throw missingScopes([`crm.objects.${type.plural}.sensitive.write.v2`])
    const read = readValue(property, text)
    if (typeof read !== 'string') problems.push(read)
    else if (read === '') delete values[name]
    else values[name] = read
  }
  problems.push(...misplaced(portal, type, sent, values))
  if (problems.length > 0) throw badProperties(problems, portal.id)
  if (type.id === '0-3') setProbability(type, values)
  for (const [name, source] of SEARCHABLE_PHONES) if (type.fields.has(name)) setDigits(values, name, source)
  checkRules(portal, type, values)
  return values
}

/** Properties that telephone numbers are found by in any spelling, and what they are made of. */
const SEARCHABLE_PHONES = [
  ['hs_searchable_calculated_phone_number', 'phone'],
  ['hs_searchable_calculated_mobile_number', 'mobilephone'],
] as const

function setDigits(values: { [name: string]: string }, name: string, source: string): void {
  const digits = values[source]?.replace(/\D/g, '') ?? ''
  if (digits === '') delete values[name]
  else values[name] = digits
}

/** The probability of a deal follows its stage. */
function setProbability(type: ObjectType, values: { [name: string]: string }): void {
  const stage = type.pipelines?.find(({ id }) => id === values.pipeline)?.stages.find(({ id }) => id === values.dealstage)
  if (stage?.metadata.probability === undefined) delete values.hs_deal_stage_probability
  else values.hs_deal_stage_probability = stage.metadata.probability
}

/** Checks owner, pipeline and stage: each must exist, the stage within its pipeline. */
function misplaced(portal: Portal, type: ObjectType, sent: Values, values: Values): Problem[] {
  const problems: Problem[] = []
  const checked = [...type.fields.values()].filter(({ check }) => check !== undefined)
  const pipelineName = checked.find(({ check }) => check === 'pipeline')?.name
  const pipeline = type.pipelines?.find(({ id }) => id === values[pipelineName ?? ''])
  for (const { name, check } of checked) {
    const value = values[name]
    if (value === undefined || (sent[name] === undefined && (check !== 'stage' || sent[pipelineName ?? ''] === undefined))) continue
    if (check === 'owner' && !portal.owners.some(({ id }) => id === value)) {
      problems.push({ name, error: 'INVALID_OWNER_ID', message: `Owner ${value} does not exist` })
    }
    if (check === 'pipeline' && !pipeline) {
      const ids = type.pipelines?.map(({ id }) => id) ?? []
      problems.push({ name, error: 'INVALID_OPTION', message: `${value} is not a valid pipeline ID. Valid options are: [${ids.join(', ')}]` })
    }
    if (check === 'stage' && !pipeline?.stages.some(({ id }) => id === value)) {
      const options = (type.pipelines ?? []).map(({ id, stages }) => `pipelineId=${id} : [${stages.map((stage) => stage.id).join(', ')}]`)
      problems.push({ name, error: 'INVALID_OPTION', message: `${value} is not a valid pipeline stage ID. Valid options are: ${options.join(', ')}` })
    }
  }
  return problems
}

/** Refuses a unique value that another record, or an earlier input of the batch, has. */
function claim(portal: Portal, type: ObjectType, values: Values, record: StoredRecord | undefined, claims: Claims): void {
  for (const { name, hasUniqueValue } of type.fields.values()) {
    const value = values[name]
    if (!hasUniqueValue || value === undefined || value === record?.values[name]) continue
    const holder = type.records.holder(name, value)
    const key = uniqueKey(name, value)
    const taken = holder !== undefined && holder !== record
    if (taken || claims.has(key)) throw alreadyTaken(portal, type, name, value, holder?.id, record?.id)
    claims.add(key)
  }
}

function alreadyTaken(portal: Portal, type: ObjectType, name: string, value: string, holder: string | undefined, id: string | undefined) {
  if (type.id === '0-1' && name === 'email') return conflict(`Contact already exists.${holder === undefined ? '' : ` Existing ID: ${holder}`}`)
  const coordinates = `PropertyValueCoordinates{portalId=${portal.id}, objectTypeId=${type.id}, propertyName=${name}, value=${value}}`
  const message = `Cannot set ${coordinates} on ${id ?? 'a new record'}. ${holder ?? 'Another input'} already has that value.`
  return invalid(message, { errors: [{ message, code: 'CONFLICTING_UNIQUE_VALUE', context: { propertyName: [name] } }] })
}
