import { isObject, type Json } from '../../json.ts'
import type { WireAnswer } from '../../simulated.ts'
import { afterIn, bodyOf, type Call, created, type Handler, jsonOf, limitIn, listIn, nothing, ok, paged, pagingAfter, requireMembers, textIn } from '../call.ts'
import { invalid, missingFields, objectNotFound, unreadable } from '../errors.ts'
import { batchAnswer, inputsOf } from '../objects/batch.ts'
import type { ObjectType } from '../portal.ts'
import type { AssociationType } from './association-types.ts'
import { associate, idIn, mustExist, typeIn } from './links.ts'

interface Pair {
  readonly from: ObjectType
  readonly to: ObjectType
}

const pairOf = ({ portal, param }: Call): Pair => ({ from: portal.type(param('from')), to: portal.type(param('to')) })

const specOf = ({ category, typeId, label }: AssociationType) => ({ category, typeId, label })

/** The associated records that are not archived, by id. */
function* linkedTo({ portal }: Call, { from, to }: Pair, fromId: string, behind: string | undefined) {
  const linked = portal.associations.of(from.id, fromId, to.id)
  const ids = [...linked.keys()].filter((id) => to.records.live(id) && (behind === undefined || Number(id) > Number(behind)))
  for (const id of ids.sort((a, b) => Number(a) - Number(b))) yield { toObjectId: id, associationTypes: [...(linked.get(id) ?? [])].map(specOf) }
}

export const listAssociated: Handler = (call) => {
  const pair = pairOf(call)
  const id = call.param('id')
  const limit = limitIn(call, 500, 500)
  if (!pair.from.records.live(id)) throw objectNotFound(`${pair.from.singular.toUpperCase()} with id ${id} does not exist`, { context: { id: [id] } })
  const { page, more } = paged(linkedTo(call, pair, id, afterIn(call)), limit)
  return ok({ results: page, ...(more && pagingAfter(call, page.at(-1)?.toObjectId ?? '')) })
}

/** Associates two records by the default type. */
export const associateDefault: Handler = (call) => {
  const pair = pairOf(call)
  return batchAnswer(call, 200, linkedByDefault(call, pair, call.param('id'), call.param('toId')), [])
}

function linkedByDefault({ portal }: Call, { from, to }: Pair, fromId: string, toId: string): object[] {
  const type = portal.associationTypes.standard(from.id, to.id)
  if (!type) throw invalid(`No default association type exists between ${from.id} and ${to.id}`)
  mustExist(portal, from, fromId)
  mustExist(portal, to, toId)
  associate(portal, type, fromId, toId)
  const inverse = portal.associationTypes.inverseOf(type)
  return [result(type, fromId, toId), result(inverse, toId, fromId)]
}

const result = ({ category, typeId }: AssociationType, fromId: string, toId: string) => ({
  from: { id: fromId },
  to: { id: toId },
  associationSpec: { associationCategory: category, associationTypeId: typeId },
})

/** Associates two records by the given types. */
export const associateAs: Handler = (call) => {
  const pair = pairOf(call)
  const types = jsonOf(call)
  if (!Array.isArray(types)) throw unreadable('Cannot deserialize value of type `java.util.ArrayList`')
  return created(linkedAs(call, pair, call.param('id'), call.param('toId'), types))
}

function linkedAs({ portal }: Call, { from, to }: Pair, fromId: string, toId: string, given: readonly unknown[]): object {
  if (given.length === 0) throw invalid('At least one association type is required.')
  const types = given.map((one) => typeIn(portal, from, one, to))
  mustExist(portal, from, fromId)
  mustExist(portal, to, toId)
  for (const type of types) associate(portal, type, fromId, toId)
  const labels = types.flatMap(({ label }) => label ?? [])
  return { fromObjectTypeId: from.id, fromObjectId: fromId, toObjectTypeId: to.id, toObjectId: toId, labels }
}

export const dissociate: Handler = (call) => {
  const { from, to } = pairOf(call)
  call.portal.associations.remove(from.id, call.param('id'), to.id, call.param('toId'))
  return nothing
}

/** The two ends of an association in a batch. */
function endsIn(input: Json): { readonly fromId: string; readonly toId: string } {
  if (!isObject(input.from) || !isObject(input.to)) throw missingFields(['from', 'to'])
  return { fromId: idIn(input.from), toId: idIn(input.to) }
}

const MOST = 2000
const MOST_READ = 1000
const READ_EACH = 500

export const readAssociated: Handler = (call) => {
  const pair = pairOf(call)
  const missing: string[] = []
  const results = inputsOf(call, MOST_READ).flatMap((input) => {
    const id = idIn(input)
    const { page, more } = paged(linkedTo(call, pair, id, textIn(input, 'after')), READ_EACH)
    if (page.length === 0) missing.push(id)
    return page.length === 0 ? [] : [{ from: { id }, to: page, ...(more && { paging: { next: { after: page.at(-1)?.toObjectId, link: '' } } }) }]
  })
  return batchAnswer(call, 200, results, noneFound(pair, missing))
}

function noneFound({ from, to }: Pair, ids: readonly string[]): object[] {
  return ids.map((id) => ({
    status: 'error',
    category: 'OBJECT_NOT_FOUND',
    subCategory: 'crm.associations.NO_ASSOCIATIONS_FOUND',
    message: `No ${to.singular} is associated with ${from.singular} ${id}.`,
    context: { fromObjectId: [id], fromObjectType: [from.singular], toObjectType: [to.singular] },
  }))
}

export const createAssociated: Handler = (call) => {
  const pair = pairOf(call)
  const results = inputsOf(call, MOST).map((input) => {
    const { fromId, toId } = endsIn(input)
    return linkedAs(call, pair, fromId, toId, listIn(input, 'types') ?? [])
  })
  return batchAnswer(call, 201, results, [])
}

export const createAssociatedDefault: Handler = (call) => {
  const pair = pairOf(call)
  const results = inputsOf(call, MOST).flatMap((input) => {
    const { fromId, toId } = endsIn(input)
    return linkedByDefault(call, pair, fromId, toId)
  })
  return batchAnswer(call, 200, results, [])
}

/** An input names several targets in version 4 and one in version 3. */
export const archiveAssociated: Handler = (call) => {
  const { from, to } = pairOf(call)
  for (const input of inputsOf(call, MOST)) {
    requireMembers(input, ['from', 'to'])
    const ends = Array.isArray(input.to) ? input.to : [input.to]
    for (const end of ends) {
      const { fromId, toId } = endsIn({ from: input.from, to: end })
      call.portal.associations.remove(from.id, fromId, to.id, toId)
    }
  }
  return nothing
}

export const archiveLabels: Handler = (call) => {
  const { portal } = call
  const { from, to } = pairOf(call)
  for (const input of inputsOf(call, MOST)) {
    const { fromId, toId } = endsIn(input)
    for (const given of listIn(input, 'types') ?? []) {
      const type = typeIn(portal, from, given, to)
      portal.associations.unlink(type, portal.associationTypes.inverseOf(type), fromId, toId)
    }
  }
  return nothing
}

export const listLabels: Handler = (call) => {
  const { from, to } = pairOf(call)
  return ok({ results: call.portal.associationTypes.between(from.id, to.id).map(specOf) })
}

/** Version 3, which identifies association types by name. */
export const readAssociated3: Handler = (call) => {
  const pair = pairOf(call)
  const { portal } = call
  const missing: string[] = []
  const results = inputsOf(call, MOST_READ).flatMap((input) => {
    const id = idIn(input)
    const linked = [...portal.associations.of(pair.from.id, id, pair.to.id)].filter(([toId]) => pair.to.records.live(toId))
    if (linked.length === 0) missing.push(id)
    return linked.length === 0 ? [] : [{ from: { id }, to: linked.flatMap(([toId, ways]) => [...ways].map(({ name }) => ({ id: toId, type: name }))) }]
  })
  return batchAnswer(call, 200, results, noneFound(pair, missing))
}

export const createAssociated3: Handler = (call): WireAnswer => {
  const { portal } = call
  const { from, to } = pairOf(call)
  const results = inputsOf(call, MOST).map((input) => {
    const { fromId, toId } = endsIn(input)
    const given = textIn(input, 'type')
    const type = portal.associationTypes.between(from.id, to.id).find(({ name, typeId }) => name === given || String(typeId) === given)
    if (!type) throw invalid(`${given} is not a valid association type between ${from.id} and ${to.id}`)
    mustExist(portal, from, fromId)
    mustExist(portal, to, toId)
    associate(portal, type, fromId, toId)
    return { from: { id: fromId }, to: { id: toId }, type: type.name }
  })
  return batchAnswer(call, 201, results, [])
}

/** Defines an association type between a custom object and another. */
export const createAssociationType: Handler = (call) => {
  const { portal } = call
  const from = portal.type(call.param('type'))
  const body = bodyOf(call, ['fromObjectTypeId', 'toObjectTypeId'])
  const to = portal.type(textIn(body, 'toObjectTypeId') ?? '')
  const name = textIn(body, 'name') ?? `${from.singular}_to_${to.singular}`
  const type = portal.associationTypes.standard(from.id, to.id) ?? portal.associationTypes.add(from.id, to.id, name, `${to.singular}_to_${from.singular}`)
  return created({ id: String(type.typeId), fromObjectTypeId: from.id, toObjectTypeId: to.id, name: type.name })
}
