import { isObject } from '../../json.ts'
import type { Access } from '../access.ts'
import { badRequest, EspoError, failure, forbidden, notFound } from '../errors.ts'
import { attributesOf } from '../scopes/attributes.ts'
import type { Scope } from '../scopes/definition.ts'
import type { Values } from '../store.ts'
import { createRecord, readRecord, updateRecord } from './records.ts'

/** What a lead is converted into, in this order. */
const ENTITIES = ['Account', 'Contact', 'Opportunity'] as const

/** Fields of a new record that a lead calls otherwise. */
const FIELDS: { readonly [entity: string]: { readonly [field: string]: string } } = {
  Account: {
    name: 'accountName',
    ...Object.fromEntries(['Street', 'City', 'State', 'PostalCode', 'Country'].map((part) => [`billingAddress${part}`, `address${part}`])),
  },
  Contact: {},
  Opportunity: { amount: 'opportunityAmount', leadSource: 'source' },
}

const IGNORED = new Set(['createdAt', 'modifiedAt', 'modifiedById', 'modifiedByName', 'createdById'])

/** The values that the new records would have: those of fields of the same name and type, and of the ones that are called otherwise. */
export function convertAttributes(access: Access, data: Values): Values {
  const lead = access.store.scope('Lead')
  const values = readLead(access, data)
  const made = ENTITIES.filter((entity) => access.allows(entity, 'create')).map((entity) => [entity, attributesFor(lead, access.store.scope(entity), values)])
  return Object.fromEntries(made)
}

function attributesFor(lead: Scope, scope: Scope, values: Values): Values {
  const same = Object.keys(lead.fields).filter((field) => scope.fields[field]?.type === lead.fields[field]?.type)
  const map: { readonly [field: string]: string } = { ...Object.fromEntries(same.map((field) => [field, field])), ...FIELDS[scope.name] }
  const pairs = Object.entries(map).flatMap(([field, source]) => {
    const [theirs, ours] = [attributesOf(scope, field), attributesOf(lead, source)]
    if (theirs.length !== ours.length) return []
    return theirs.map(({ name }, at) => [name, ours[at]?.name ?? ''] as const)
  })
  return Object.fromEntries(pairs.flatMap(([name, source]) => (IGNORED.has(name) || !Object.hasOwn(values, source) ? [] : [[name, values[source]]])))
}

function readLead(access: Access, { id }: Values): Values {
  if (typeof id !== 'string' || id === '') throw badRequest()
  const row = access.store.get('Lead', id)
  if (!row) throw notFound()
  if (!access.allowsOn(row, 'edit')) throw forbidden('No edit access.')
  return readRecord(access, access.store.scope('Lead'), id)
}

/** Makes the given records of a lead, and links the lead with them. */
export function convertLead(access: Access, data: Values): Values {
  const { store } = access
  const lead = readLead(access, data)
  const records = data.records ?? {}
  if (!isObject(records)) throw badRequest()
  const made: { [entity: string]: string } = {}
  const links: Values = {}
  for (const entity of ENTITIES) {
    const values = records[entity]
    if (!isObject(values)) continue
    if (!access.allows(entity, 'create')) throw forbidden(`No 'create' access for ${entity}.`)
    if (made.Account !== undefined) links.accountId = made.Account
    if (made.Contact !== undefined) links.contactId = made.Contact
    made[entity] = create(access, store.scope(entity), { ...values, ...links }, data.skipDuplicateCheck === true)
    // The company of a contact that is made for one is the company of the opportunity.
    if (entity === 'Contact' && typeof values.accountId === 'string') links.accountId ??= values.accountId
  }
  const created = Object.fromEntries(Object.entries(made).map(([entity, id]) => [`created${entity}Id`, id]))
  return updateRecord(access, store.scope('Lead'), String(lead.id), { status: 'Converted', ...created })
}

/** What is wrong with a value is a 500 here. */
function create(access: Access, scope: Scope, values: Values, skipDuplicateCheck: boolean): string {
  try {
    return String(createRecord(access, scope, values, skipDuplicateCheck).id)
  } catch (error) {
    if (error instanceof EspoError && error.status === 400) throw failure(error.message)
    throw error
  }
}
