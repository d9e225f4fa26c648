import { AUDIT, AUDIT_LINKS, builtIn, EMAIL, NAME, PHONE, person } from './common.ts'
import type { Field, Scope } from './definition.ts'

const { createdAt, modifiedAt, createdBy, modifiedBy } = AUDIT
const SYSTEM = { object: false, importable: false, module: undefined }

/** The permissions of roles besides the access to records. */
export const PERMISSIONS = [
  'assignment',
  'user',
  'message',
  'portal',
  'groupEmailAccount',
  'export',
  'massUpdate',
  'dataPrivacy',
  'followerManagement',
  'audit',
  'mention',
] as const

const PERMISSION: Field = { type: 'enum', options: ['not-set', 'all', 'team', 'no', 'yes'], default: 'not-set' }

export const user: Scope = builtIn({
  name: 'User',
  collection: { orderBy: 'userName', order: 'asc', textFilterFields: ['name', 'userName', 'emailAddress'] },
  scope: SYSTEM,
  adminOnly: ['apiKey', 'secretKey', 'authMethod'],
  fields: {
    userName: { type: 'varchar', maxLength: 50, required: true },
    type: { type: 'enum', options: ['regular', 'admin', 'portal', 'api'], default: 'regular' },
    password: { type: 'password', maxLength: 150 },
    authMethod: { type: 'enum', options: ['', 'ApiKey', 'Hmac'], maxLength: 24 },
    apiKey: { type: 'varchar', maxLength: 100, readOnly: true },
    secretKey: { type: 'varchar', maxLength: 100, readOnly: true, notStorable: true },
    ...person(),
    isActive: { type: 'bool', default: true },
    title: { type: 'varchar', maxLength: 100, pattern: '$noBadCharacters' },
    emailAddress: EMAIL,
    phoneNumber: PHONE,
    avatarColor: { type: 'colorpicker' },
    gender: { type: 'enum', options: ['', 'Male', 'Female', 'Neutral'] },
    createdAt,
    modifiedAt,
    lastAccess: { type: 'datetime', notStorable: true, readOnly: true },
    targetListIsOptedOut: { type: 'bool', notStorable: true, readOnly: true },
    defaultTeam: { type: 'link' },
    teams: { type: 'linkMultiple', columns: { role: 'userRole' } },
    roles: { type: 'linkMultiple' },
    portals: { type: 'linkMultiple' },
    portalRoles: { type: 'linkMultiple' },
    contact: { type: 'link' },
    accounts: { type: 'linkMultiple' },
    avatar: { type: 'image' },
    createdBy,
    dashboardTemplate: { type: 'link' },
    workingTimeCalendar: { type: 'link' },
    layoutSet: { type: 'link' },
    targetLists: { type: 'linkMultiple', noLoad: true },
  },
  links: {
    createdBy: AUDIT_LINKS.createdBy,
    defaultTeam: { type: 'belongsTo', entity: 'Team' },
    teams: { type: 'hasMany', entity: 'Team', foreign: 'users' },
    roles: { type: 'hasMany', entity: 'Role', foreign: 'users' },
    portals: { type: 'hasMany', entity: 'Portal' },
    portalRoles: { type: 'hasMany', entity: 'PortalRole' },
    contact: { type: 'belongsTo', entity: 'Contact' },
    accounts: { type: 'hasMany', entity: 'Account' },
    dashboardTemplate: { type: 'belongsTo', entity: 'DashboardTemplate' },
    workingTimeCalendar: { type: 'belongsTo', entity: 'WorkingTimeCalendar', noJoin: true },
    layoutSet: { type: 'belongsTo', entity: 'LayoutSet', noJoin: true },
    targetLists: { type: 'hasMany', entity: 'TargetList', foreign: 'users' },
  },
})

export const role: Scope = builtIn({
  name: 'Role',
  collection: { orderBy: 'name', order: 'asc' },
  scope: SYSTEM,
  fields: {
    name: { ...NAME, maxLength: 150 },
    ...Object.fromEntries(PERMISSIONS.map((name) => [`${name}Permission`, PERMISSION])),
    data: { type: 'jsonObject' },
    fieldData: { type: 'jsonObject' },
    createdAt,
    modifiedAt,
  },
  links: { users: { type: 'hasMany', entity: 'User', foreign: 'roles' } },
})

export const team: Scope = builtIn({
  name: 'Team',
  collection: { orderBy: 'name', order: 'asc' },
  scope: SYSTEM,
  fields: { name: NAME, createdAt, modifiedAt, createdBy, modifiedBy, roles: { type: 'linkMultiple' } },
  links: { ...AUDIT_LINKS, users: { type: 'hasMany', entity: 'User', foreign: 'teams' }, roles: { type: 'hasMany', entity: 'Role' } },
})
