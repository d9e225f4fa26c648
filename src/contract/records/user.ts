import { Type } from 'typebox'
import { field } from '../fields.ts'
import { LIMITS } from '../limits.ts'
import { idInput, ifRevision, manyInput, operation, pageOf } from '../operation.ts'
import { record } from '../record.ts'
import { changed, detailed } from '../shapes.ts'
import type { Confirm } from './plan.ts'

export const ROLES = ['admin', 'manager', 'member'] as const
export type Role = (typeof ROLES)[number]

/** The OwnerID of a CRM record that has no owner. */
export const NOBODY = 'nobody'

/** A person or program that calls the connector. */
export const User = record({
  name: 'User',
  plural: 'users',
  id: 'UserID',
  summary: 'A person or program that calls the connector.',
  names: ['Name'],
  inStore: true,
  owned: false,
  revised: true,
  belongs: 'UserID',
  fields: {
    Name: field.text({ label: 'Name', required: true }),
    Email: field.email({ label: 'E-mail' }),
    Role: field.oneOf(ROLES, {
      label: 'Role',
      description: 'admin sees everything, manager those below and their own, member their own.',
      required: true,
      defaultValue: 'member',
    }),
    ManagerID: field.id({ label: 'Manager', description: 'The user this one reports to.', refers: 'User' }),
    PlatformUserID: field.text({ label: 'Platform user', description: 'The id of this user in the CRM.' }),
    Identity: field.text({
      label: 'Identity',
      description: 'The issuer and the subject of a person who signs in with OpenID Connect, as `ISSUER#SUBJECT`.',
      access: 'read',
      unique: true,
      max: LIMITS.url,
    }),
    Active: field.boolean({ label: 'Active', description: 'The keys of an inactive user are refused.', required: true, defaultValue: true }),
  },
})

export const getCurrentUser = operation({
  name: 'Get Current User',
  method: 'users.getCurrent',
  record: User,
  verb: 'getCurrentUser',
  effect: 'read',
  summary: 'Answers with the user of the key, and what the key allows.',
  input: Type.Object({}, { additionalProperties: false }),
  output: detailed(User.stored, {
    Workspace: Type.String(),
    KeyID: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
    Scopes: Type.Array(Type.String()),
    ExpiresDate: Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
    Confirm: Type.Unsafe<Confirm | null>({ type: ['string', 'null'], description: 'How deletes with this key have to be confirmed.' }),
  }),
  example: {},
  extension: true,
})

export const createUser = operation({
  name: 'Create User',
  method: 'users.create',
  record: User,
  verb: 'createUser',
  effect: 'create',
  summary: 'Stores a new user, who can then be given keys.',
  input: User.draft('Name', 'Email', 'Role', 'ManagerID', 'PlatformUserID'),
  output: User.stored,
  errors: ['not_found'],
  example: { Name: 'Grace Hopper', Email: 'grace@example.com', Role: 'manager' },
  extension: true,
  administration: true,
})

export const getManyUsers = operation({
  name: 'Get Many Users',
  method: 'users.getMany',
  record: User,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the users the caller may see: themselves and those below them; admins see all users.',
  input: manyInput(User),
  output: pageOf(User.stored),
  example: { Filters: { Role: 'manager' } },
  extension: true,
})

export const updateUser = operation({
  name: 'Update User',
  method: 'users.update',
  record: User,
  verb: 'updateUser',
  effect: 'update',
  summary: 'Changes only the named fields of a user. Managers may not form a circle; the last active admin stays.',
  input: Type.Object({ UserID: idInput('user'), FieldsToUpdate: User.patch, IfRevision: ifRevision }, { additionalProperties: false }),
  output: changed(User.stored),
  errors: ['not_found', 'conflict'],
  example: { UserID: '0k6v2m8q4d9x1c7b5n3t', FieldsToUpdate: { Active: false } },
  extension: true,
  administration: true,
})
