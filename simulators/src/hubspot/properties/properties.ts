import { isObject, type Json } from '../../json.ts'
import { bodyOf, type Call, created, flagIn, type Handler, listIn, nothing, ok, requireMembers, textIn, typeOf } from '../call.ts'
import { invalid, missingFields, objectNotFound, Refusal, unreadable } from '../errors.ts'
import { batchAnswer, inputsOf } from '../objects/batch.ts'
import type { ObjectType, Portal } from '../portal.ts'
import { FIELD_TYPES, type Option, PROPERTY_TYPES, type Property, type PropertyType, property } from './property.ts'
import { instant } from './values.ts'

const NAME = /^[a-z][a-z0-9_]{0,99}$/

export function shownProperty({ readOnly, check, createdAt, updatedAt, ...rest }: Property): object {
  return {
    ...rest,
    ...(check === 'owner' && { referencedObjectType: 'OWNER' }),
    calculated: false,
    archived: false,
    ...(createdAt !== undefined && { createdAt: instant(createdAt), updatedAt: instant(updatedAt ?? createdAt) }),
    modificationMetadata: { archivable: !rest.hubspotDefined, readOnlyDefinition: rest.hubspotDefined, readOnlyValue: readOnly },
  }
}

/** Checks the definition of a new property. */
export function propertyIn(input: Json, groupName: string, now: number): Property {
  requireMembers(input, ['name', 'label', 'type', 'fieldType'])
  const name = textIn(input, 'name') as string
  const type = textIn(input, 'type') as PropertyType
  const fieldType = textIn(input, 'fieldType') as string
  if (!NAME.test(name)) {
    throw invalid(
      `Property name ${JSON.stringify(name)} is not valid: it may only have lower-case letters, digits and underscores and must begin with a letter.`,
    )
  }
  if (!PROPERTY_TYPES.includes(type)) throw unreadable(`${type} is not one of the property types ${PROPERTY_TYPES.join(', ')}`)
  if (!FIELD_TYPES[type].includes(fieldType))
    throw invalid(`Field type ${fieldType} is not valid for property type ${type}. Allowed: ${FIELD_TYPES[type].join(', ')}`)
  const options = (listIn(input, 'options') ?? []).map(optionIn)
  if (type === 'enumeration' && options.length === 0 && input.externalOptions !== true) throw invalid(`Property ${name} is an enumeration and needs options.`)
  if (new Set(options.map(({ value }) => value)).size < options.length) throw invalid(`Property ${name} has options with the same value.`)
  return property(name, textIn(input, 'label') as string, type, {
    fieldType,
    groupName,
    description: textIn(input, 'description') ?? '',
    ...(type !== 'bool' && { options }),
    displayOrder: Number(input.displayOrder ?? -1),
    hidden: input.hidden === true,
    formField: input.formField === true,
    hasUniqueValue: input.hasUniqueValue === true,
    hubspotDefined: false,
    createdAt: now,
    updatedAt: now,
  })
}

function optionIn(input: unknown, index: number): Option {
  if (!isObject(input)) throw unreadable('Cannot construct instance of `OptionInput`')
  requireMembers(input, ['label', 'value'])
  const [label, value] = [textIn(input, 'label') as string, textIn(input, 'value') as string]
  return { label, value, description: textIn(input, 'description') ?? '', displayOrder: Number(input.displayOrder ?? index), hidden: input.hidden === true }
}

function addProperty(portal: Portal, type: ObjectType, input: Json): Property {
  requireMembers(input, ['groupName', 'name', 'label', 'type', 'fieldType'])
  const groupName = textIn(input, 'groupName') as string
  if (!type.groups.has(groupName)) throw invalid(`Property group '${groupName}' does not exist for object type ${type.id}.`)
  const made = propertyIn(input, groupName, portal.now())
  if (type.fields.has(made.name)) {
    throw new Refusal(409, `A property named '${made.name}' already exists.`, { category: 'OBJECT_ALREADY_EXISTS', subCategory: 'Properties.PROPERTY_EXISTS' })
  }
  type.fields.set(made.name, made)
  return made
}

function propertyOf(call: Call): Property {
  const name = call.param('name')
  const found = call.portal.visible(typeOf(call), name)
  if (!found) throw objectNotFound(`Property ${name} does not exist for object type ${typeOf(call).id}`)
  return found
}

export const listProperties: Handler = (call) => {
  const type = typeOf(call)
  if (flagIn(call, 'archived')) return ok({ results: [] })
  return ok({ results: [...type.fields.values()].filter(({ name }) => !call.portal.hides(type, name)).map(shownProperty) })
}

export const getProperty: Handler = (call) => ok(shownProperty(propertyOf(call)))

export const createProperty: Handler = (call) => created(shownProperty(addProperty(call.portal, typeOf(call), bodyOf(call))))

export const createProperties: Handler = (call) => {
  const type = typeOf(call)
  return batchAnswer(
    call,
    201,
    inputsOf(call).map((input) => shownProperty(addProperty(call.portal, type, input))),
    [],
  )
}

export const readProperties: Handler = (call) => {
  const type = typeOf(call)
  const missing: string[] = []
  const results = inputsOf(call).flatMap((input) => {
    const name = textIn(input, 'name')
    if (name === undefined) throw missingFields(['name'])
    const found = call.portal.visible(type, name)
    if (!found) missing.push(name)
    return found ? [shownProperty(found)] : []
  })
  const errors = missing.map((name) => ({
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    message: `Property ${name} does not exist`,
    context: { name: [name] },
  }))
  return batchAnswer(call, 200, results, errors)
}

/** Name and type cannot be changed. */
export const updateProperty: Handler = (call) => {
  const type = typeOf(call)
  const before = propertyOf(call)
  const body = bodyOf(call)
  const options = listIn(body, 'options')?.map(optionIn)
  const after = {
    ...before,
    label: textIn(body, 'label') ?? before.label,
    description: textIn(body, 'description') ?? before.description,
    updatedAt: call.portal.now(),
  }
  type.fields.set(before.name, options ? { ...after, options } : after)
  return ok(shownProperty(type.fields.get(before.name) ?? after))
}

export const archiveProperty: Handler = (call) => {
  const found = propertyOf(call)
  if (found.hubspotDefined) throw invalid(`Property ${found.name} is defined by HubSpot and cannot be archived.`)
  typeOf(call).fields.delete(found.name)
  return nothing
}

const shownGroup = (group: object) => ({ ...group, archived: false })

export const listGroups: Handler = (call) => ok({ results: [...typeOf(call).groups.values()].map(shownGroup) })

export const getGroup: Handler = (call) => {
  const found = typeOf(call).groups.get(call.param('name'))
  if (!found) throw objectNotFound(`Property group ${call.param('name')} does not exist`)
  return ok(shownGroup(found))
}

export const createGroup: Handler = (call) => {
  const { groups } = typeOf(call)
  const body = bodyOf(call, ['name', 'label'])
  const [name, label] = [textIn(body, 'name') as string, textIn(body, 'label') as string]
  if (!NAME.test(name)) throw invalid(`Property group name ${JSON.stringify(name)} is not valid.`)
  if (groups.has(name)) throw new Refusal(409, `A property group named '${name}' already exists.`, { category: 'OBJECT_ALREADY_EXISTS' })
  const group = { name, label, displayOrder: Number(body.displayOrder ?? -1) }
  groups.set(name, group)
  return created(shownGroup(group))
}
