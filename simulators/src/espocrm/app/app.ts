import { ACTIONS, type Access, BASE_LEVELS } from '../access.ts'
import { asRead } from '../records/presentation.ts'
import { attributesOf } from '../scopes/attributes.ts'
import type { Field } from '../scopes/definition.ts'
import { PERMISSIONS } from '../scopes/users.ts'
import type { Values } from '../store.ts'
import { PREFERENCES, settingsFor } from './settings.ts'
import { TIME_ZONES } from './time-zones.ts'

/** Fields that are hidden from, or read-only for, users who are no administrators. */
const PROTECTED: { readonly [scope: string]: { readonly [field: string]: 'hidden' | 'shown' } } = {
  ActionHistoryRecord: { authToken: 'hidden', authLogRecord: 'hidden' },
  EmailAccount: { assignedUser: 'shown' },
  EmailFolder: { assignedUser: 'shown' },
  User: {
    password: 'hidden',
    passwordConfirm: 'hidden',
    authMethod: 'hidden',
    apiKey: 'hidden',
    secretKey: 'hidden',
    token: 'hidden',
    avatarColor: 'shown',
    gender: 'hidden',
    dashboardTemplate: 'hidden',
    workingTimeCalendar: 'shown',
    auth2FA: 'hidden',
  },
}

const LINKS = new Set(['authToken', 'authLogRecord', 'assignedUser', 'dashboardTemplate', 'workingTimeCalendar'])

const SHOWN =
  'id name deleted userName type salutationName firstName lastName isActive title emailAddress phoneNumber ipAddress avatarColor createdAt modifiedAt middleName emailAddressIsOptedOut emailAddressIsInvalid phoneNumberIsOptedOut phoneNumberIsInvalid defaultTeamId defaultTeamName teamsIds teamsNames contactId contactName avatarId avatarName createdById createdByName workingTimeCalendarId'.split(
    ' ',
  )

/** `App/user`: the user, the access rights and the settings. */
export function appUser(access: Access, context: { origin: string; startedAt: number; now: number; custom: readonly string[] }) {
  const { user } = access
  const read: Values = { ...asRead(access, user), ipAddress: '127.0.0.1' }
  const emails = typeof read.emailAddress === 'string' ? [read.emailAddress] : []
  return {
    user: {
      ...Object.fromEntries(SHOWN.filter((name) => name in read).map((name) => [name, read[name]])),
      emailAddressList: emails,
      userEmailAddressList: emails,
      excludeFromReplyEmailAddressList: [],
    },
    acl: aclOf(access),
    preferences: { id: user.id, ...PREFERENCES },
    token: null,
    settings: settingsFor(access, context),
    language: 'en_US',
    appParams: {
      maxUploadSize: 8,
      isRestrictedMode: false,
      passwordChangeForNonAdminDisabled: false,
      timeZoneList: TIME_ZONES,
      auth2FARequired: false,
      logoutWait: false,
      systemUserId: 'system',
      templateEntityTypeList: [],
      extensions: [],
      addressCountryData: { list: [], preferredList: [] },
    },
  }
}

function aclOf(access: Access) {
  const { store } = access
  const scopes = access.isAdmin ? [...new Set([...Object.keys(BASE_LEVELS), ...[...store.scopes.keys()].sort()])] : Object.keys(access.table())
  const table = scopes.map((scope) => [scope, Object.fromEntries(ACTIONS.map((action) => [action, access.level(scope, action)]))])
  const stream = scopes.indexOf('Preferences') + 1
  const fields = scopes.map((scope) => [scope, fieldTable(access, scope)] as const)
  return {
    table: Object.fromEntries([...table.slice(0, stream), ['Stream', true], ...table.slice(stream)]),
    fieldTable: Object.fromEntries(fields),
    ...Object.fromEntries(PERMISSIONS.map((name) => [`${name}Permission`, access.permission(name)])),
    fieldTableQuickAccess: Object.fromEntries(fields.map(([scope, levels]) => [scope, quickAccess(access, scope, levels)])),
  }
}

type FieldTable = { readonly [field: string]: { readonly read: string; readonly edit: string } }

function fieldTable(access: Access, scope: string): FieldTable {
  if (access.isAdmin) return {}
  const fixed = Object.entries(PROTECTED[scope] ?? {}).map(([field, how]) => [field, { read: how === 'shown' ? 'yes' : 'no', edit: 'no' }] as const)
  return { ...Object.fromEntries(fixed), ...Object.fromEntries(access.fieldLevels(scope)) }
}

function quickAccess({ store }: Access, scope: string, table: FieldTable) {
  const attributes = (field: string) => {
    const known = store.scopes.get(scope)
    const type = (known?.fields[field] as Field | undefined)?.type
    if (LINKS.has(field)) return [`${field}Id`, `${field}Name`]
    return known && type !== undefined && type !== 'password' ? attributesOf(known, field).map(({ name }) => name) : [field]
  }
  const by = (action: 'read' | 'edit', of: (field: string) => string[]) => {
    const having = (level: string) => Object.entries(table).flatMap(([field, levels]) => (levels[action] === level ? of(field) : []))
    return { yes: having('yes'), no: having('no') }
  }
  const both = (of: (field: string) => string[]) => ({ read: by('read', of), edit: by('edit', of) })
  return { attributes: both(attributes), fields: both((field) => [field]) }
}
