import { Type } from 'typebox'
import { field, nullable } from '../fields.ts'
import { LIMITS } from '../limits.ts'
import { idInput, manyInput, operation, pageOf } from '../operation.ts'
import { record } from '../record.ts'
import { withSecret } from '../shapes.ts'
import { CONFIRMABLE, type Confirm } from './plan.ts'

const scopes = Type.Array(Type.Unsafe<string>({ type: 'string', format: 'text', maxLength: LIMITS.text }), {
  minItems: 1,
  maxItems: LIMITS.list,
  description:
    'What the key allows: `read`, `write`, `delete`, `admin` or, in the first workspace, `operator`, each for everything or, after a colon, for one record type or operation: `write:Lead`, `delete:case_delete`.',
})

/** The credential of a caller. Only a digest of it is stored. */
export const Key = record({
  name: 'Key',
  plural: 'keys',
  id: 'KeyID',
  summary: 'The credential of a caller; only a digest of it is stored.',
  names: ['Label'],
  inStore: true,
  owned: false,
  revised: true,
  belongs: 'UserID',
  fields: {
    UserID: field.id({ label: 'User', required: true, access: 'create', refers: 'User' }),
    Label: field.text({ label: 'Label' }),
    Scopes: field.json(scopes, { label: 'Scopes', required: true, access: 'create' }),
    Confirm: field.oneOf(CONFIRMABLE, {
      label: 'Confirm',
      description:
        'How deletes with this key are confirmed. `deletes`: they are planned first, and executed once the plan is confirmed. `person`: the plan has no token, and only `allow_plan` with another key executes it.',
      access: 'create',
    }),
    ExpiresDate: field.timestamp({ label: 'Expires', description: 'From then on the key is refused.', access: 'create' }),
    Kind: field.oneOf(['session', 'token'], {
      label: 'Kind',
      description: 'A `session` is that of a person who has signed in, a `token` was granted to a client by OAuth; null for a key that was created.',
      access: 'read',
    }),
    ClientID: field.text({ label: 'Client', description: 'The client that a token was granted to.', access: 'read', max: LIMITS.url }),
    Resource: field.text({ label: 'Resource', description: 'The address that a token is for; it is refused at others.', access: 'read', max: LIMITS.url }),
    RenewableUntil: field.timestamp({
      label: 'Renewable until',
      description: 'Until then the client of a token may renew it, also after it has expired; null where it may not.',
      access: 'read',
    }),
    LastUsedDate: field.timestamp({
      label: 'Last used',
      description: 'When a call was last made with it, to the minute; null where none was.',
      access: 'read',
    }),
    RevokedDate: field.timestamp({ label: 'Revoked', access: 'read' }),
    IDToken: field.text({
      label: 'ID token',
      description: 'That of the issuer with which a person has signed in, so that a sign-out here is one there too.',
      access: 'secret',
      sealed: true,
      max: LIMITS.longText,
    }),
    Workspaces: field.json(Type.Array(Type.String()), {
      label: 'Workspaces',
      description: 'The names of the workspaces that the person of a session may go over to.',
      access: 'secret',
    }),
    Digest: field.text({ label: 'Digest', required: true, access: 'secret' }),
    RefreshDigest: field.text({ label: 'Refresh digest', access: 'secret' }),
  },
})

export const createKey = operation({
  name: 'Create Key',
  method: 'keys.create',
  record: Key,
  verb: 'createKey',
  effect: 'create',
  summary: 'Creates a key and shows it once.',
  description: 'By default it is for the caller, with `read` and `write`. No key allows more than the one that creates it, nor more than its user’s role.',
  input: Type.Object(
    {
      UserID: Type.Optional(idInput('user the key is for')),
      Scopes: Type.Optional(scopes),
      Label: Type.Optional(nullable<string>(Key.fields.Label.schema)),
      ExpiresDate: Type.Optional(nullable<string>(Key.fields.ExpiresDate.schema)),
      Confirm: Type.Optional(nullable<Confirm>(Key.fields.Confirm.schema)),
    },
    { additionalProperties: false },
  ),
  output: withSecret(Key.stored, 'Key'),
  shownOnce: 'Key',
  errors: ['not_found'],
  example: { Label: 'nightly import', Scopes: ['read:Lead', 'write:Lead'], ExpiresDate: '2030-01-01T00:00:00Z' },
  extension: true,
  administration: true,
})

export const getManyKeys = operation({
  name: 'Get Many Keys',
  method: 'keys.getMany',
  record: Key,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the keys of the users the caller may see, never with the secrets themselves.',
  input: manyInput(Key),
  output: pageOf(Key.stored),
  example: { Filters: { RevokedDate: null } },
  extension: true,
  administration: true,
})

export const revokeKey = operation({
  name: 'Revoke Key',
  method: 'keys.revoke',
  record: Key,
  verb: 'revokeKey',
  effect: 'delete',
  summary: 'Revokes a key at once, with the tokens that were granted to it; this cannot be undone.',
  input: Type.Object({ KeyID: idInput('key') }, { additionalProperties: false }),
  output: Key.stored,
  errors: ['not_found'],
  example: { KeyID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
  administration: true,
})
