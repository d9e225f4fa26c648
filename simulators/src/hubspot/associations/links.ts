import { isObject, type Json } from '../call.ts'
import { invalid, lacking, unreadable } from '../errors.ts'
import type { ObjectType, Portal } from '../portal.ts'
import { type AssociationType, LEAD_TO_PRIMARY_CONTACT } from './association-types.ts'

/** An association that a record is to have. */
export interface Link {
  readonly type: AssociationType
  readonly toId: string
}

/** The associations sent along with a record that is to be created; what they lead to has to be there. */
export function linksIn(portal: Portal, from: ObjectType, sent: readonly unknown[]): Link[] {
  return sent.flatMap((one) => {
    if (!isObject(one) || !isObject(one.to) || !Array.isArray(one.types)) throw lacking(['to', 'types'])
    const id = idIn(one.to)
    if (one.types.length === 0) throw invalid('One or more associations are invalid', { context: { types: ['At least one type is required.'] } })
    return one.types.map((said) => {
      const type = typeIn(portal, from, said)
      mustExist(portal, portal.typeWithId(type.to), id)
      return { type, toId: id }
    })
  })
}

export function idIn(said: Json): string {
  const { id } = said
  if (typeof id !== 'string' && typeof id !== 'number') throw lacking(['id'])
  return String(id)
}

/** The way of associating that was said by its category and number. */
export function typeIn(portal: Portal, from: ObjectType, said: unknown, to?: ObjectType): AssociationType {
  if (!isObject(said)) throw unreadable('Cannot construct instance of `AssociationSpec`')
  const { associationCategory: category, associationTypeId: typeId } = said
  if (category === undefined || typeId === undefined) throw lacking(['associationCategory', 'associationTypeId'])
  const type = portal.associationTypes.named(category, typeId, from.id)
  if (!type) throw invalid(`No association type exists with category ${category} and id ${typeId}`)
  if (type.from !== from.id) throw invalid(`invalid from object type ${from.id} for associations to be created. expected: ${type.from}`)
  if (to && type.to !== to.id) throw invalid(`invalid to object type ${to.id} for associations to be created. expected: ${type.to}`)
  return type
}

export function mustExist(portal: Portal, type: ObjectType, id: string): void {
  if (type.records.live(id)) return
  const context = {
    INVALID_OBJECT_IDS: [`${type.singular.toUpperCase()}=${id} is not valid`],
    objectType: [type.id],
    objectId: [id],
    portalId: [String(portal.id)],
  }
  throw invalid('One or more associations are invalid', { context })
}

/** A lead is nothing without its contact. */
export function mustLink(type: ObjectType, links: readonly Link[]): void {
  if (type.id !== '0-136' || links.some((link) => link.type.typeId === LEAD_TO_PRIMARY_CONTACT)) return
  const message = 'Error creating LEAD. A lead must be associated with a primary contact.'
  throw invalid(message, { errors: [{ message, code: 'REQUIRED_ASSOCIATION_MISSING', context: { associationTypeId: [String(LEAD_TO_PRIMARY_CONTACT)] } }] })
}

/** Associates two records, and the other way round. One with a label is always there without its label, too. */
export function associate({ associations, associationTypes }: Portal, type: AssociationType, fromId: string, toId: string): void {
  associations.add(type, associationTypes.inverseOf(type), fromId, toId)
  const plain = associationTypes.standard(type.from, type.to)
  if (plain && plain !== type) associations.add(plain, associationTypes.inverseOf(plain), fromId, toId)
}
