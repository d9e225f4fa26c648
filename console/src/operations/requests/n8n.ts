import { handlesSecrets, type Operation, RECORD_TYPES } from 'crm-connector/contract'
import type { ShownRequest } from './request.ts'

/** The resource and operation in the node: `leads.create` is the operation create of the resource lead. */
export function placeIn({ method }: Operation): { readonly resource: string; readonly operation: string } {
  const [group = '', verb] = method.split('.')
  if (verb === undefined) return { resource: 'schema', operation: group }
  const name = RECORD_TYPES.find(({ plural }) => plural === group)?.name ?? group.replace(/s$/, '')
  return { resource: name.charAt(0).toLowerCase() + name.slice(1), operation: verb }
}

/** Whether the node has it: operations whose answer contains a secret are left out, because n8n stores every answer. */
export const isInNode = (operation: Operation): boolean => !handlesSecrets(operation)

const LIMIT = 100

/** The call as a node to paste into a workflow; only the credential has to be chosen. */
export function n8nOf({ operation, input, idempotencyKey, dryRun }: ShownRequest): string {
  const { Limit, ...rest } = input
  const isPaged = Object.hasOwn((operation.input as { properties?: object }).properties ?? {}, 'Limit')
  const isEmpty = Object.keys((operation.input as { properties?: object }).properties ?? {}).length === 0
  const options = { ...(dryRun && { dryRun }), ...(idempotencyKey && { idempotencyKey }) }
  const node = {
    parameters: {
      ...placeIn(operation),
      ...(!isEmpty && { specify: 'json', input: JSON.stringify(isPaged ? rest : input, null, 2) }),
      ...(isPaged && { returnAll: false, limit: Limit ?? LIMIT }),
      options,
    },
    type: 'n8n-nodes-crm-connector.crmConnector',
    typeVersion: 1,
    position: [0, 0],
    id: operation.id,
    name: operation.name,
  }
  return JSON.stringify({ nodes: [node], connections: {} }, null, 2)
}
