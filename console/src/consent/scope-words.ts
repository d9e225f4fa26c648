import { OPERATIONS, RECORD_TYPES, type Tier } from 'crm-connector/contract'

interface Words {
  readonly label: string
  readonly hint?: string
}

const EVERYTHING: { readonly [tier in Tier]: Words } = {
  read: { label: 'Read', hint: 'All records that you can see.' },
  write: { label: 'Create and change', hint: 'All records that you can see.' },
  delete: { label: 'Delete', hint: 'All records that you can see.' },
  admin: { label: 'Administer', hint: 'Users, keys, webhooks and fields of the whole workspace.' },
  operator: { label: 'Operate', hint: 'Create, pause and delete workspaces of the service.' },
}

const VERBS: { readonly [tier in Tier]: string } = { read: 'Read', write: 'Create and change', delete: 'Delete', admin: 'Administer', operator: 'Operate' }

/** Record types that are not called what the contract calls them. */
const TYPE_WORDS: { readonly [type: string]: readonly [one: string, many: string] } = {
  Definition: ['definition of an object', 'definitions of objects'],
  OwnField: ['field', 'fields'],
  Plan: ['approval', 'approvals'],
  Attempt: ['delivery attempt', 'delivery attempts'],
  Delivery: ['undelivered event', 'undelivered events'],
}

/** What a tier allows, in as few words as possible. */
export const tierWords = (tier: Tier): string => VERBS[tier]

/** A record type in the choice of scopes. */
export const scopedTypeName = (type: string): string => TYPE_WORDS[type]?.[0] ?? type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()

/** What scopes allow together, in one line. */
export const scopesText = (scopes: readonly string[]): string => scopes.map((scope) => scopeWords(scope).label).join(', ')

/** What a scope allows, as a person reads it. */
export function scopeWords(scope: string): Words {
  const [tier, only] = scope.split(':') as [Tier, string | undefined]
  if (only === undefined) return EVERYTHING[tier]
  const operation = OPERATIONS.find(({ id }) => id === only)
  if (operation) return { label: operation.name, hint: operation.summary }
  const type = RECORD_TYPES.find(({ name }) => name === only)
  return { label: `${VERBS[tier]} ${TYPE_WORDS[only]?.[1] ?? type?.plural.replaceAll('_', ' ') ?? only}` }
}
