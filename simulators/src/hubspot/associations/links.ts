import { isObject, type Json } from '../../json.ts'
import { invalid, missingFields, unreadable } from '../errors.ts'
import type { ObjectType, Portal } from '../portal.ts'
import { type AssociationType, LEAD_TO_PRIMARY_CONTACT } from './association-types.ts'

/** An association to create. */
export interface Link {
  readonly type: AssociationType
  readonly toId: string
}

/** The associations sent with a new record; their targets must exist. */
export function linksIn(portal: Portal, from: ObjectType, sent: readonly unknown[]): Link[] {
  return sent.flatMap((one) => {
    if (!isObject(one) || !isObject(one.to) || !Array.isArray(one.types)) throw missingFields(['to', 'types'])
    const id = idIn(one.to)
    if (one.types.length === 0) throw invalid('One or more associations are invalid', { context: { types: ['At least one type is required.'] } })
    return one.types.map((given) => {
      const type = typeIn(portal, from, given)
      mustExist(portal, portal.typeWithId(type.to), id)
      return { type, toId: id }
    })
  })
}

export function idIn(given: Json): string {
  const { id } = given
  if (typeof id !== 'string' && typeof id !== 'number') throw missingFields(['id'])
  return String(id)
}

/** The association type of a category and id. */
export function typeIn(portal: Portal, from: ObjectType, given: unknown, to?: ObjectType): AssociationType {
  if (!isObject(given)) throw unreadable('Cannot construct instance of `AssociationSpec`')
  const { associationCategory: category, associationTypeId: typeId } = given
  if (category === undefined || typeId === undefined) throw missingFields(['associationCategory', 'associationTypeId'])
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

/** A lead must have a primary contact. */
export function mustLink(type: ObjectType, links: readonly Link[]): void {
  if (type.id !== '0-136' || links.some((link) => link.type.typeId === LEAD_TO_PRIMARY_CONTACT)) return
  const message = 'Error creating LEAD. A lead must be associated with a primary contact.'
  throw invalid(message, { errors: [{ message, code: 'REQUIRED_ASSOCIATION_MISSING', context: { associationTypeId: [String(LEAD_TO_PRIMARY_CONTACT)] } }] })
}

/** The types of which a record has one at most: to its primary company. */
const PRIMARY_COMPANY: ReadonlySet<string> = new Set(['contact_to_company', 'deal_to_company', 'ticket_to_company'])

/**
 * Associates two records in both directions. A labelled association implies the unlabelled one. A new primary company takes the label off the one
 * before, which stays associated.
 */
export function associate({ associations, associationTypes }: Portal, type: AssociationType, fromId: string, toId: string): void {
  const inverse = associationTypes.inverseOf(type)
  if (PRIMARY_COMPANY.has(type.name)) takeOff(type, fromId, toId)
  else if (PRIMARY_COMPANY.has(inverse.name)) takeOff(inverse, toId, fromId)
  function takeOff(primary: AssociationType, id: string, companyId: string): void {
    for (const [other, ways] of associations.of(primary.from, id, primary.to))
      if (other !== companyId && ways.has(primary)) associations.unlink(primary, associationTypes.inverseOf(primary), id, other)
  }
  associations.add(type, inverse, fromId, toId)
  const plain = associationTypes.standard(type.from, type.to)
  if (plain && plain !== type) associations.add(plain, associationTypes.inverseOf(plain), fromId, toId)
}
