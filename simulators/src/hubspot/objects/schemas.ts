import { isObject, type Json } from '../../json.ts'
import { bodyOf, type Call, created, flagIn, type Handler, listIn, nothing, ok, textIn, textsOf } from '../call.ts'
import { invalid, objectNotFound, Refusal, unreadable } from '../errors.ts'
import type { ObjectType, Portal } from '../portal.ts'
import { propertyIn, shownProperty } from '../properties/properties.ts'
import type { Property } from '../properties/property.ts'
import { instant } from '../properties/values.ts'
import { customObject } from './object-definition.ts'
import type { Schema } from './schema.ts'

const NAME = /^[a-z][a-z0-9_]{0,99}$/i

function shownSchema(portal: Portal, { createdAt, updatedAt, ...schema }: Schema): object {
  const type = portal.typeWithId(schema.objectTypeId)
  const associations = [...portal.allTypes()].flatMap((to) => {
    return portal.associationTypes
      .between(type.id, to.id)
      .map(({ typeId, name }) => ({ id: String(typeId), name, fromObjectTypeId: type.id, toObjectTypeId: to.id }))
  })
  const properties = [...type.fields.values()].filter(({ name }) => !portal.hides(type, name)).map(shownProperty)
  return { id: type.id.slice(2), ...schema, properties, associations, archived: false, createdAt: instant(createdAt), updatedAt: instant(updatedAt) }
}

function schemaOf({ portal, param }: Call): Schema {
  const type = portal.knownType(param('type'))
  const schema = type && portal.schemas.get(type.id)
  if (!schema) throw objectNotFound(`Unable to find an object schema for ${param('type')}`)
  return schema
}

export const listSchemas: Handler = (call) => {
  if (flagIn(call, 'archived')) return ok({ results: [] })
  return ok({ results: [...call.portal.schemas.values()].map((schema) => shownSchema(call.portal, schema)) })
}

export const getSchema: Handler = (call) => ok(shownSchema(call.portal, schemaOf(call)))

export const createSchema: Handler = (call) => {
  const { portal } = call
  const body = bodyOf(call, ['name', 'labels', 'properties', 'requiredProperties', 'associatedObjects'])
  const name = textIn(body, 'name') as string
  if (!NAME.test(name))
    throw invalid(`Object name ${JSON.stringify(name)} is not valid: it may only have letters, digits and underscores and must begin with a letter.`)
  const fullyQualifiedName = `p${portal.id}_${name}`.toLowerCase()
  if (portal.knownType(fullyQualifiedName)) {
    throw new Refusal(409, `An object schema named ${fullyQualifiedName} already exists.`, { category: 'OBJECT_ALREADY_EXISTS' })
  }
  const { labels } = body
  if (!isObject(labels)) throw unreadable('Cannot construct instance of `ObjectTypeDefinitionLabels`')
  const properties = propertiesIn(portal, body, `${name}_information`.toLowerCase())
  const required = namesAmong(properties, body, 'requiredProperties')
  const searchable = namesAmong(properties, body, 'searchableProperties')
  const secondary = namesAmong(properties, body, 'secondaryDisplayProperties')
  const [primary] = namesAmong(properties, { primaryDisplayProperty: [body.primaryDisplayProperty ?? []].flat() }, 'primaryDisplayProperty')
  const associated = textsOf(listIn(body, 'associatedObjects') ?? []).map((object) => portal.type(object))
  const objectTypeId = portal.nextCustomId()
  const definition = customObject(objectTypeId, name.toLowerCase(), fullyQualifiedName, properties, { required, searched: searchable, shown: [] })
  const type = portal.addType(definition, [fullyQualifiedName, `p_${name}`])
  for (const other of new Set([...associated, portal.typeWithId('0-46'), type])) relate(portal, type, other)
  const now = portal.now()
  const schema: Schema = {
    objectTypeId,
    name: name.toLowerCase(),
    fullyQualifiedName,
    labels,
    description: textIn(body, 'description'),
    requiredProperties: required,
    searchableProperties: searchable,
    secondaryDisplayProperties: secondary,
    primaryDisplayProperty: primary,
    createdAt: now,
    updatedAt: now,
  }
  portal.schemas.set(objectTypeId, schema)
  return created(shownSchema(portal, schema))
}

function relate({ associationTypes }: Portal, type: ObjectType, other: ObjectType): void {
  if (associationTypes.standard(type.id, other.id)) return
  associationTypes.add(type.id, other.id, `${type.singular}_to_${other.singular}`, `${other.singular}_to_${type.singular}`)
}

function propertiesIn(portal: Portal, body: Json, groupName: string): Property[] {
  const properties = (listIn(body, 'properties') ?? []).map((input) => {
    if (!isObject(input)) throw unreadable('Cannot construct instance of `ObjectTypePropertyCreate`')
    return propertyIn(input, groupName, portal.now())
  })
  if (properties.length === 0) throw invalid('An object schema needs at least one property.')
  if (new Set(properties.map(({ name }) => name)).size < properties.length) throw invalid('An object schema cannot have two properties of the same name.')
  return properties
}

function namesAmong(properties: readonly Property[], body: Json, member: string): string[] {
  const names = textsOf(listIn(body, member) ?? [])
  const unknown = names.filter((name) => !properties.some((property) => property.name === name))
  if (unknown.length > 0) throw invalid(`${member} names properties that are not defined: [${unknown.join(', ')}]`)
  return names
}

export const updateSchema: Handler = (call) => {
  const before = schemaOf(call)
  const body = bodyOf(call)
  const labels = isObject(body.labels) ? body.labels : before.labels
  const after = { ...before, labels, description: textIn(body, 'description') ?? before.description, updatedAt: call.portal.now() }
  call.portal.schemas.set(before.objectTypeId, after)
  return ok(shownSchema(call.portal, after))
}

export const archiveSchema: Handler = (call) => {
  const { portal } = call
  const { objectTypeId } = schemaOf(call)
  const type = portal.typeWithId(objectTypeId)
  if (type.records.count > 0) throw invalid('There are still active instances of this object type. Delete all of them before you delete the object type.')
  portal.removeType(type)
  portal.schemas.delete(objectTypeId)
  return nothing
}
