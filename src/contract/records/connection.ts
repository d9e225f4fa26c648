import { Type } from 'typebox'
import { field, nullable } from '../fields.ts'
import { LIMITS } from '../limits.ts'
import { READS, type Reads } from '../mirror-use.ts'
import { idInput, ifRevision, manyInput, operation, pageOf } from '../operation.ts'
import { record } from '../record.ts'
import { changed, removed } from '../shapes.ts'

/** The CRMs whose accounts can be connected at run time. */
export const CONNECTABLE = ['salesforce', 'hubspot', 'espocrm'] as const

const options = Type.Unsafe<{ [name: string]: string }>({
  type: 'object',
  additionalProperties: { type: 'string', format: 'text', maxLength: LIMITS.text },
  maxProperties: 50,
  description: 'What is for one CRM alone, as under `options` in the configuration file; the page of the platform has them.',
})

const tables = Type.Unsafe<{ [type: string]: unknown }>({
  type: 'object',
  maxProperties: 50,
  description: 'Other objects, fields, words and defaults than the usual ones, as under `tables` in the configuration file.',
})

const secrets = Type.Unsafe<{ [name: string]: string }>({
  type: 'object',
  additionalProperties: { type: 'string', format: 'text', minLength: 1, maxLength: LIMITS.longText },
  maxProperties: 20,
  description: 'What signing in needs, by the names on the page of the platform, such as `clientId` and `clientSecret`. Stored sealed, never shown.',
})

/** An account of a CRM in which the records of a workspace live. */
export const Connection = record({
  name: 'Connection',
  plural: 'connections',
  id: 'ConnectionID',
  summary: 'An account of a CRM that the workspace is connected to.',
  inStore: true,
  owned: false,
  revised: true,
  indexed: [],
  fields: {
    Platform: field.oneOf(CONNECTABLE, { label: 'Platform', required: true, access: 'create' }),
    Label: field.text({ label: 'Label' }),
    State: field.oneOf(['pending', 'connected', 'broken'], {
      label: 'State',
      description: '`pending` until it is first connected; `broken` where the CRM no longer lets us in.',
      required: true,
      access: 'read',
    }),
    Account: field.text({ label: 'Account', description: 'How the CRM itself names the account.', access: 'read' }),
    InUse: field.boolean({
      label: 'In use',
      description: 'Whether the records of the workspace live there. At most one connection of a workspace is in use, and none that is pending.',
      required: true,
      defaultValue: true,
    }),
    UseWhenConnected: field.boolean({
      label: 'Use when connected',
      description: 'Whether a pending connection is in use from when it is connected.',
      access: 'read',
      defaultValue: false,
    }),
    Watch: field.boolean({
      label: 'Watch',
      description: 'Whether it is watched: what others change in the account becomes events, and is in the mirror. Null counts as true.',
      defaultValue: true,
    }),
    Reads: field.oneOf(READS, {
      label: 'Reads',
      description: 'Where get-many, summaries and search are answered from: the mirror once it is complete, or always the CRM. Null counts as `mirror`.',
      defaultValue: 'mirror',
    }),
    Address: field.text({
      label: 'Address',
      description: 'Where the account lives, such as https://acme.my.salesforce.com; HubSpot needs none. Another address is another connection.',
      access: 'create',
      max: LIMITS.url,
    }),
    SignIn: field.oneOf(['secrets', 'browser'], {
      label: 'Sign-in',
      description:
        '`secrets`: by the secrets alone, which are checked before they are kept. `browser`: a person allows the app of these secrets in, see authorize_connection.',
      required: true,
      access: 'create',
      defaultValue: 'secrets',
    }),
    Reason: field.text({ label: 'Reason', description: 'Why it is pending or broken.', access: 'read', max: LIMITS.longText }),
    Advice: field.text({ label: 'What to do', access: 'read', max: LIMITS.longText }),
    ConnectedDate: field.timestamp({ label: 'Connected', description: 'When it was last connected.', access: 'read' }),
    SecretNames: field.json(Type.Array(Type.String()), {
      label: 'Secrets',
      description: 'The names of the secrets that it has.',
      required: true,
      access: 'read',
    }),
    Options: field.json(options, { label: 'Options' }),
    Tables: field.json(tables, { label: 'Tables' }),
    Configured: field.boolean({
      label: 'Configured',
      description: 'Whether it comes from the configuration file and the environment, and can be changed only there.',
      required: true,
      access: 'read',
      defaultValue: false,
    }),
    Secrets: field.text({ label: 'Sealed secrets', access: 'secret', sealed: true, max: LIMITS.longText }),
    /** Grows when the account has to be opened anew. */
    Generation: field.integer({ label: 'Generation', required: true, access: 'secret', defaultValue: 1 }),
  },
})

/** The tokens that the account of a connection has granted. Its id is that of the connection. */
export const ConnectionToken = record({
  name: 'ConnectionToken',
  plural: 'connection tokens',
  id: 'ConnectionTokenID',
  summary: 'The tokens that the account of a connection has granted.',
  inStore: true,
  owned: false,
  revised: false,
  internalId: true,
  indexed: [],
  fields: { Tokens: field.text({ label: 'Tokens', required: true, access: 'secret', sealed: true, max: LIMITS.longText }) },
})

const given = {
  Label: Type.Optional(nullable<string>(Connection.fields.Label.schema)),
  Options: Type.Optional(nullable<{ [name: string]: string }>(options)),
  Tables: Type.Optional(nullable<{ [type: string]: unknown }>(tables)),
  Secrets: Type.Optional(secrets),
  InUse: Type.Optional(Type.Boolean({ description: 'Whether the records of the workspace live there: for a pending connection, from when it is connected.' })),
  Watch: Type.Optional(Type.Boolean({ description: 'Whether what others change in the account becomes events; true unless given.' })),
  Reads: Type.Optional(
    Type.Unsafe<Reads>({
      type: 'string',
      enum: [...READS],
      description: 'Where get-many, summaries and search are answered from: the mirror once it is complete, which is the default, or always the CRM.',
    }),
  ),
}

export const createConnection = operation({
  name: 'Create Connection',
  method: 'connections.create',
  record: Connection,
  verb: 'createConnection',
  effect: 'create',
  summary: 'Connects the workspace to an account of a CRM.',
  description:
    'With secrets that suffice to sign in, it is tried before it is kept, and in use from then on. With `SignIn: "browser"` it is pending until a person has allowed it, see authorize_connection.',
  input: Type.Object(
    {
      Platform: Type.Unsafe<(typeof CONNECTABLE)[number]>({ type: 'string', enum: [...CONNECTABLE] }),
      SignIn: Type.Optional(Type.Unsafe<'secrets' | 'browser'>({ type: 'string', enum: ['secrets', 'browser'], description: '`secrets` by default.' })),
      Address: Type.Optional(nullable<string>(Connection.fields.Address.schema)),
      ...given,
    },
    { additionalProperties: false },
  ),
  output: Connection.stored,
  errors: ['conflict', 'unsupported'],
  example: { Platform: 'hubspot', SignIn: 'browser', Label: 'HubSpot of Acme', Secrets: { clientId: '0a1b2c3d-…', clientSecret: '4e5f6a7b-…' } },
  extension: true,
  administration: true,
})

export const getManyConnections = operation({
  name: 'Get Many Connections',
  method: 'connections.getMany',
  record: Connection,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the connections of the workspace, never with their secrets.',
  input: manyInput(Connection),
  output: pageOf(Connection.stored),
  example: { Filters: { State: 'broken' } },
  extension: true,
  administration: true,
})

export const updateConnection = operation({
  name: 'Update Connection',
  method: 'connections.update',
  record: Connection,
  verb: 'updateConnection',
  effect: 'update',
  summary: 'Changes only the named fields of a connection; Secrets are replaced as a whole.',
  description:
    'What decides how to sign in is tried before it is kept. Calls under way end on the account as it was. Options that name another address need the Secrets again, since they are sent there.',
  input: Type.Object(
    {
      ConnectionID: idInput('connection'),
      FieldsToUpdate: Type.Object(given, { additionalProperties: false, minProperties: 1 }),
      IfRevision: ifRevision,
    },
    { additionalProperties: false },
  ),
  output: changed(Connection.stored),
  errors: ['not_found', 'conflict'],
  example: { ConnectionID: '0k6v2m8q4d9x1c7b5n3t', FieldsToUpdate: { Label: 'HubSpot of Acme, Europe' } },
  extension: true,
  administration: true,
})

export const testConnection = operation({
  name: 'Test Connection',
  method: 'connections.test',
  record: Connection,
  verb: 'testConnection',
  effect: 'read',
  summary: 'Examines the account of a connection as `crm doctor` does, without writing to it.',
  input: Type.Object({ ConnectionID: idInput('connection') }, { additionalProperties: false }),
  output: Type.Object({
    ConnectionID: Type.String(),
    Good: Type.Boolean({ description: 'Whether nothing is wrong.' }),
    Findings: Type.Array(
      Type.Object({
        Name: Type.String(),
        Good: Type.Boolean(),
        Checked: Type.Boolean({ description: 'False where it could not be found out.' }),
        Text: Type.String(),
        Advice: Type.Unsafe<string | null>({ type: ['string', 'null'] }),
      }),
    ),
  }),
  errors: ['not_found', 'unsupported'],
  sends: true,
  example: { ConnectionID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
  administration: true,
})

/** A moment that may not have come yet. */
const momentOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time', description })
const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description })
const countOrNull = (description: string) => Type.Unsafe<number | null>({ type: ['integer', 'null'], description })

export const getMirror = operation({
  name: 'Get Mirror',
  method: 'connections.getMirror',
  record: Connection,
  verb: 'getMirror',
  effect: 'read',
  summary: 'Answers with how far the mirror of the CRM that the workspace uses has come, and what watching it costs.',
  input: Type.Object({}, { additionalProperties: false }),
  output: Type.Object({
    Watched: Type.Boolean({ description: 'Whether it is looked for what others change in the account.' }),
    Reads: Type.Unsafe<Reads>({ type: 'string', enum: [...READS], description: 'Where lists, summaries and searches are answered from now.' }),
    Complete: Type.Boolean({ description: 'Whether the mirror has all record types.' }),
    AsOf: momentOrNull('Everything that was changed before is in the mirror, once it is complete.'),
    IntervalSeconds: Type.Unsafe<number | null>({ type: ['number', 'null'], description: 'The time between two polls.' }),
    RequestsPerDay: countOrNull(
      'The requests that may be sent in a day to look for changes: those of CRM_WATCH_REQUESTS or, where it is not set, half of those that the account allows at most.',
    ),
    RequestsToday: Type.Integer({ description: 'Those that were sent since midnight, UTC.' }),
    LookedDate: momentOrNull('When a poll of the account has last come to its end; one that fails does not count.'),
    FailedDate: momentOrNull('When the last poll failed, where it did.'),
    ExhaustedDate: momentOrNull('Since when RequestsPerDay are used up, where they are: further requests are sent one by one.'),
    Reason: textOrNull('Why it failed, or is late.'),
    Advice: textOrNull('What to do about it.'),
    RecordTypes: Type.Array(
      Type.Object({
        RecordType: Type.String(),
        Complete: Type.Boolean({ description: 'Whether the mirror has all records of the type.' }),
        Records: Type.Integer({ description: 'How many the mirror has.' }),
        Total: countOrNull('While it is backfilled: how many the account had when that began.'),
        AsOf: momentOrNull('Everything that was changed before is in the mirror, once it is complete.'),
      }),
    ),
  }),
  example: {},
  extension: true,
  administration: true,
})

export const authorizeConnection = operation({
  name: 'Authorize Connection',
  method: 'connections.authorize',
  record: Connection,
  verb: 'authorizeConnection',
  effect: 'read',
  summary: 'Answers with a link at which a person allows the connection in, in a browser.',
  description:
    'It works once, within a day, and may be sent to the owner of the account. With RedirectURI, an address on the same machine, it is the address of the CRM itself, and complete_connection takes what the CRM sends back.',
  input: Type.Object(
    {
      ConnectionID: idInput('connection'),
      RedirectURI: Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          format: 'text',
          maxLength: LIMITS.url,
          description: 'An address such as http://127.0.0.1:8488/callback, for a program on the same machine as the browser.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    ConnectionID: Type.String(),
    Link: Type.String(),
    ExpiresDate: Type.String({ description: 'From then on the link is refused.' }),
  }),
  errors: ['not_found', 'unsupported'],
  example: { ConnectionID: '0k6v2m8q4d9x1c7b5n3t', RedirectURI: 'http://127.0.0.1:8488/callback' },
  extension: true,
  administration: true,
})

export const completeConnection = operation({
  name: 'Complete Connection',
  method: 'connections.complete',
  record: Connection,
  verb: 'completeConnection',
  effect: 'update',
  summary: 'Connects a connection with the code that the CRM has sent back to RedirectURI.',
  input: Type.Object(
    {
      State: Type.Unsafe<string>({ type: 'string', format: 'text', minLength: 1, maxLength: 8192, description: 'The parameter `state` of the address.' }),
      Code: Type.Unsafe<string>({ type: 'string', format: 'text', minLength: 1, maxLength: 8192, description: 'The parameter `code` of the address.' }),
    },
    { additionalProperties: false },
  ),
  output: Connection.stored,
  errors: ['not_found', 'conflict'],
  example: { State: 'Zk3mW…', Code: 'aPrx9…' },
  extension: true,
  administration: true,
})

export const deleteConnection = operation({
  name: 'Delete Connection',
  method: 'connections.delete',
  record: Connection,
  verb: 'deleteConnection',
  effect: 'delete',
  summary: 'Deletes a connection with its secrets, and gives its tokens back where the CRM has a way to; records in the CRM stay.',
  input: Type.Object({ ConnectionID: idInput('connection'), IfRevision: ifRevision }, { additionalProperties: false }),
  output: removed('ConnectionID'),
  errors: ['not_found', 'conflict'],
  example: { ConnectionID: '0k6v2m8q4d9x1c7b5n3t' },
  extension: true,
  administration: true,
})
