import type { Crm } from 'crm-connector'

export type Workspace = Awaited<ReturnType<Crm['workspaces']['getMany']>>['Records'][number]
export type CreatedWorkspace = Pick<Workspace, 'Name'> & { readonly Key: string }

/** The limits of a workspace, with what they are called. */
export const LIMIT_LABELS = { CallsPerMinute: 'Calls a minute', MaxUsers: 'Users', MaxKeys: 'Keys', MaxWebhooks: 'Webhooks' } as const

export type Limit = keyof typeof LIMIT_LABELS
export const LIMIT_NAMES = Object.keys(LIMIT_LABELS) as readonly Limit[]
