import { Type } from 'typebox'
import { field, nullable } from '../fields.ts'
import { LIMITS } from '../limits.ts'
import { idInput, ifRevision, manyInput, operation, pageOf } from '../operation.ts'
import { record } from '../record.ts'
import { changed, detailed, textInput, withSecret } from '../shapes.ts'
import { User } from './user.ts'

/** The number of the first workspace, which every store has. The records of all workspaces are in it, and its admins operate them. */
export const FIRST_WORKSPACE = 1

/** What a new workspace may be called, in words and as a test. */
export const WORKSPACE_NAME = `small letters, digits, - and _, at most ${LIMITS.name}, beginning with a letter or digit`
export const isWorkspaceName = (name: string) => name.length <= LIMITS.name && /^[a-z0-9][a-z0-9_-]*$/.test(name)

export const WORKSPACE_STATES = ['active', 'paused', 'deleting'] as const
export type WorkspaceState = (typeof WORKSPACE_STATES)[number]

const limit = (label: string, description: string, maximum: number) =>
  field.integer({ label, description: `${description} No limit unless given.`, minimum: 1, maximum })

/** What is kept apart for one customer. The records are those of the first workspace, whose admins operate the others. */
export const Workspace = record({
  name: 'Workspace',
  plural: 'workspaces',
  id: 'WorkspaceID',
  summary: 'What is kept apart for one customer: its records, users, keys and journal.',
  names: ['Name'],
  inStore: true,
  owned: false,
  revised: true,
  belongs: null,
  indexed: ['Name', 'State'],
  fields: {
    Name: field.text({
      label: 'Name',
      description: `What it is called: ${WORKSPACE_NAME}. It stays the same.`,
      required: true,
      access: 'create',
      max: LIMITS.name,
    }),
    State: field.oneOf(WORKSPACE_STATES, {
      label: 'State',
      description: 'active; paused, so that nothing of it is served; or deleting, until all of it is erased.',
      required: true,
      access: 'read',
      defaultValue: 'active',
    }),
    CallsPerMinute: limit('Calls a minute', 'How many calls all of its keys together may make in a minute.', LIMITS.workspaceCalls),
    MaxUsers: limit('Users', 'How many active users it may have.', LIMITS.workspaceMembers),
    MaxKeys: limit('Keys', 'How many valid keys it may have, sessions and tokens not counted.', LIMITS.workspaceMembers),
    MaxWebhooks: limit('Webhooks', 'How many webhooks it may have.', LIMITS.workspaceMembers),
    Number: field.integer({ label: 'Number', required: true, access: 'secret' }),
    /** Whether it was made for demo data; null in stores that are older than the mark. */
    Demo: field.boolean({ label: 'Demo', access: 'secret' }),
  },
})

const { Name, CallsPerMinute, MaxUsers, MaxKeys, MaxWebhooks } = Workspace.fields

const optional = ({ schema }: { readonly schema: typeof Name.schema }) => Type.Optional(nullable<number>(schema))
const limits = { CallsPerMinute: optional(CallsPerMinute), MaxUsers: optional(MaxUsers), MaxKeys: optional(MaxKeys), MaxWebhooks: optional(MaxWebhooks) }

const which = Type.Object({ WorkspaceID: idInput('workspace') }, { additionalProperties: false })
const example = { WorkspaceID: '0k6v2m8q4d9x1c7b5n3t' }

export const createWorkspace = operation({
  name: 'Create Workspace',
  method: 'workspaces.create',
  record: Workspace,
  verb: 'createWorkspace',
  effect: 'create',
  summary: 'Makes a workspace with its first admin, and shows the key of that admin once.',
  input: Type.Object(
    {
      Name: textInput(Name),
      AdminName: Type.Optional(nullable<string>({ ...User.fields.Name.schema, description: 'The name of its first admin, `Admin` unless given.' })),
      AdminEmail: Type.Optional(nullable<string>({ ...User.fields.Email.schema, description: 'The e-mail address of its first admin.' })),
      ...limits,
    },
    { additionalProperties: false },
  ),
  output: withSecret(detailed(Workspace.stored, { UserID: Type.String({ description: 'Its first admin.' }) }), 'Key'),
  shownOnce: 'Key',
  example: { Name: 'acme', AdminEmail: 'ada@acme.example', CallsPerMinute: 600, MaxUsers: 25 },
  extension: true,
  administration: 'operator',
})

export const getManyWorkspaces = operation({
  name: 'Get Many Workspaces',
  method: 'workspaces.getMany',
  record: Workspace,
  verb: 'getMany',
  effect: 'read',
  summary: 'Answers with the workspaces of the service, and nothing of what is in them.',
  input: manyInput(Workspace),
  output: pageOf(Workspace.stored),
  example: { Filters: { State: 'paused' }, OrderBy: 'Name' },
  extension: true,
  administration: 'operator',
})

export const updateWorkspace = operation({
  name: 'Update Workspace',
  method: 'workspaces.update',
  record: Workspace,
  verb: 'updateWorkspace',
  effect: 'update',
  summary: 'Changes the limits of a workspace.',
  description: 'What it has beyond a new limit stays; it gets no more.',
  input: Type.Object({ WorkspaceID: idInput('workspace'), FieldsToUpdate: Workspace.patch, IfRevision: ifRevision }, { additionalProperties: false }),
  output: changed(Workspace.stored),
  errors: ['not_found', 'conflict'],
  example: { ...example, FieldsToUpdate: { MaxUsers: 50 } },
  extension: true,
  administration: 'operator',
})

export const pauseWorkspace = operation({
  name: 'Pause Workspace',
  method: 'workspaces.pause',
  record: Workspace,
  verb: 'pauseWorkspace',
  effect: 'update',
  summary: 'Stops serving a workspace: its calls are refused, its event streams end, and its webhooks wait.',
  input: which,
  output: Workspace.stored,
  errors: ['not_found', 'conflict'],
  example,
  extension: true,
  administration: 'operator',
})

export const resumeWorkspace = operation({
  name: 'Resume Workspace',
  method: 'workspaces.resume',
  record: Workspace,
  verb: 'resumeWorkspace',
  effect: 'update',
  summary: 'Serves a paused workspace again; its webhooks send what has waited.',
  input: which,
  output: Workspace.stored,
  errors: ['not_found', 'conflict'],
  example,
  extension: true,
  administration: 'operator',
})

export const deleteWorkspace = operation({
  name: 'Delete Workspace',
  method: 'workspaces.delete',
  record: Workspace,
  verb: 'deleteWorkspace',
  effect: 'delete',
  summary: 'Erases a workspace with all that is in it; this cannot be undone.',
  description:
    'It has to be confirmed always: without a token nothing is erased, and the refusal has the plan. Once confirmed, it is not served any more; it is erased in the background, and its name can be used again afterwards. The plan, like a dry run, shows how many records of each type the store has of it. What is in a CRM stays there; tokens that a CRM has granted are given back.',
  input: Type.Object(
    {
      ...which.properties,
      Name: Type.Optional(Type.Unsafe<string>({ ...Name.schema, description: 'Refuses with `conflict` unless it is called so.' })),
      IfRevision: ifRevision,
    },
    { additionalProperties: false },
  ),
  output: Type.Object({
    WorkspaceID: Type.String(),
    Name: Type.String(),
    State: Type.Literal('deleting'),
    Erases: Type.Unsafe<Record<string, number>>({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'How many records of each type the store has.',
    }),
  }),
  errors: ['not_found', 'conflict'],
  example,
  extension: true,
  administration: 'operator',
  confirmed: true,
})
