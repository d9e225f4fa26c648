import type { Field, Scope } from './definition.ts'

/** How the value of an attribute is obtained; this decides in which answers it appears. */
export type Kind =
  | 'stored'
  | 'serial'
  | 'fullName'
  | 'converted'
  | 'flag'
  | 'numeric'
  | 'data'
  | 'default'
  | 'counted'
  | 'secret'
  | 'linkId'
  | 'linkName'
  | 'linkNameApart'
  | 'parentName'
  | 'oneId'
  | 'oneName'
  | 'image'
  | 'echo'
  | 'role'
  | 'manyIds'
  | 'manyNames'
  | 'manyColumns'
  | 'manyTypes'
  | 'isFollowed'
  | 'followersIds'
  | 'followersNames'

/** A member of a record on the wire; a field has one or several. */
export interface Attribute {
  readonly name: string
  readonly field: string
  readonly kind: Kind
  /** The type of the field. */
  readonly type: string
}

interface Shown {
  /** In the answer to a create: always, only if it was given, or never. */
  readonly create: 'always' | 'set' | 'never'
  readonly read: boolean
  readonly list: boolean
}

const LOADED: Shown = { create: 'always', read: true, list: false }
const PLAIN: Shown = { create: 'set', read: true, list: true }

export const SHOWN: { readonly [K in Kind]: Shown } = {
  stored: PLAIN,
  serial: { create: 'never', read: true, list: true },
  fullName: PLAIN,
  converted: PLAIN,
  flag: { create: 'always', read: true, list: true },
  numeric: { create: 'never', read: false, list: false },
  data: LOADED,
  default: { create: 'always', read: false, list: false },
  counted: LOADED,
  secret: { create: 'never', read: false, list: false },
  linkId: PLAIN,
  linkName: { create: 'always', read: true, list: true },
  linkNameApart: LOADED,
  parentName: LOADED,
  oneId: { create: 'never', read: true, list: true },
  oneName: { create: 'never', read: true, list: true },
  image: { create: 'always', read: true, list: true },
  echo: { create: 'set', read: false, list: false },
  role: { create: 'always', read: true, list: true },
  manyIds: LOADED,
  manyNames: LOADED,
  manyColumns: LOADED,
  manyTypes: LOADED,
  isFollowed: LOADED,
  followersIds: LOADED,
  followersNames: LOADED,
}

/** A scope with its attributes, in EspoCRM's order. */
export interface Shape {
  readonly scope: Scope
  readonly attributes: ReadonlyMap<string, Attribute>
  readonly fields: readonly NamedField[]
  /** E-mail addresses and telephone numbers. */
  readonly reach: readonly NamedField[]
  /** Fields that link to one record. */
  readonly linked: readonly NamedField[]
  /** Autoincrement fields. */
  readonly serials: readonly NamedField[]
}

type NamedField = readonly [name: string, field: Field]

const shapes = new WeakMap<Scope, Shape>()

export function shapeOf(scope: Scope): Shape {
  const cached = shapes.get(scope)
  if (cached) return cached
  const fields = Object.entries(scope.fields)
  const ofType = (...types: string[]) => fields.filter(([, { type }]) => types.includes(type))
  const shape = {
    scope,
    attributes: new Map(attributesIn(scope).map((attribute) => [attribute.name, attribute])),
    fields,
    reach: ofType('email', 'phone'),
    linked: ofType('link', 'linkParent'),
    serials: ofType('autoincrement'),
  }
  shapes.set(scope, shape)
  return shape
}

export function attributesOf(scope: Scope, field: string): Attribute[] {
  return [...shapeOf(scope).attributes.values()].filter((attribute) => attribute.field === field)
}

function attributesIn(scope: Scope): Attribute[] {
  const fields = Object.entries(scope.fields)
  const parts = fields.map(([name, field]) => partsOf(scope, name, field))
  const of = (group: Group) => parts.flatMap((part) => part[group] ?? [])
  return [
    { name: 'id', field: 'id', kind: 'stored', type: 'id' },
    ...of('name'),
    { name: 'deleted', field: 'deleted', kind: 'stored', type: 'bool' },
    ...of('own'),
    ...of('beside'),
    ...of('flags'),
    ...of('converted'),
    ...of('data'),
    ...of('links'),
    ...(scope.stream ? FOLLOWING : []),
    ...of('types'),
  ]
}

const FOLLOWING: readonly Attribute[] = (['isFollowed', 'followersIds', 'followersNames'] as const).map((name) => ({
  name,
  field: 'followers',
  kind: name,
  type: 'following',
}))

type Group = 'name' | 'own' | 'beside' | 'flags' | 'converted' | 'data' | 'links' | 'types'
type Parts = { readonly [G in Group]?: readonly Attribute[] }

function partsOf(scope: Scope, name: string, field: Field): Parts {
  const { type } = field
  const attribute = (kind: Kind, suffix = ''): Attribute => ({ name: name + suffix, field: name, kind, type })
  switch (type) {
    case 'personName':
      return { name: [attribute('fullName')] }
    case 'address':
      return {}
    case 'password':
      return { own: [attribute('secret')] }
    case 'autoincrement':
      return { own: [attribute('serial')] }
    case 'currency':
      if (field.notStorable) return { own: [attribute('counted')], beside: [attribute('counted', 'Currency')] }
      return { own: [attribute('stored')], beside: [attribute('stored', 'Currency')], converted: [attribute('converted', 'Converted')] }
    case 'email':
    case 'phone': {
      const flags = [attribute('flag', 'IsOptedOut'), attribute('flag', 'IsInvalid')]
      return {
        own: [attribute('stored')],
        flags: [...flags, ...(type === 'phone' ? [attribute('numeric', 'Numeric')] : [])],
        data: [attribute('data', 'Data')],
      }
    }
    case 'link': {
      const link = scope.links[name]
      if (link?.type === 'hasMany') return { links: [attribute('echo', 'Ids')] }
      return { links: [attribute('linkId', 'Id'), attribute(link?.noJoin ? 'linkNameApart' : 'linkName', 'Name')] }
    }
    case 'linkOne':
      return { links: [attribute('oneId', 'Id'), attribute('oneName', 'Name')] }
    case 'image':
      return { links: [attribute('image', 'Id'), attribute('image', 'Name')] }
    case 'linkParent':
      return { links: [attribute('linkId', 'Id'), attribute('linkId', 'Type'), ...(field.noName ? [] : [attribute('parentName', 'Name')])] }
    case 'linkMultiple':
      if (field.noLoad) return { links: [attribute('echo', 'Ids')] }
      return { links: [attribute('manyIds', 'Ids'), attribute('manyNames', 'Names'), ...(field.columns ? [attribute('manyColumns', 'Columns')] : [])] }
    case 'attachmentMultiple':
      return { links: [attribute('manyIds', 'Ids'), attribute('manyNames', 'Names')], types: [attribute('manyTypes', 'Types')] }
    default:
      return { [name === 'name' ? 'name' : name === 'middleName' ? 'beside' : 'own']: [attribute(kindOf(field))] }
  }
}

function kindOf({ type, notStorable, readOnly, role }: Field): Kind {
  if (!notStorable) return 'stored'
  if (role) return 'role'
  if (type === 'bool') return 'default'
  if (type === 'float') return 'converted'
  return readOnly && type === 'varchar' ? 'secret' : 'counted'
}
