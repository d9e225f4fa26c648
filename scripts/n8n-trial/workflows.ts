import { randomUUID } from 'node:crypto'

interface Step {
  readonly name: string
  readonly type?: string
  readonly parameters: object
  readonly credentials?: string
  /** Further settings of the node, such as `retryOnFail`. */
  readonly settings?: object
}

export const CRM = 'n8n-nodes-crm-connector.crmConnector'

/** A workflow of steps one after the other. Steps of ours get the credentials by their id. */
export function workflowOf(id: string, steps: readonly Step[], connections?: object): object {
  const nodes = steps.map(({ name, type = CRM, parameters, credentials = 'crm', settings }, index) => ({
    id: randomUUID(),
    name,
    type,
    typeVersion: 1,
    position: [220 * index, 0],
    parameters,
    ...(type.startsWith('n8n-nodes-crm-connector') && { credentials: { crmConnectorApi: { id: credentials, name: credentials } } }),
    // n8n gives every node with a webhook an id for its address.
    ...(type.endsWith('Trigger') || type.endsWith('webhook') ? { webhookId: randomUUID() } : {}),
    ...settings,
  }))
  const chained = Object.fromEntries(steps.slice(1).map(({ name }, index) => [steps[index]?.name, { main: [[{ node: name, type: 'main', index: 0 }]] }]))
  return { id, name: id, active: false, nodes, connections: connections ?? chained, settings: { executionOrder: 'v1' } }
}

export const START: Step = { name: 'Start', type: 'n8n-nodes-base.manualTrigger', parameters: {} }

/** Makes an item of each text. */
export const itemsOf = (texts: readonly string[]): Step[] => [
  {
    name: 'List',
    type: 'n8n-nodes-base.set',
    parameters: { mode: 'raw', jsonOutput: JSON.stringify({ list: texts.map((name) => ({ name })) }), options: {} },
    settings: { typeVersion: 3.4 },
  },
  { name: 'Items', type: 'n8n-nodes-base.splitOut', parameters: { fieldToSplitOut: 'list', options: {} } },
]

export const createLead = (LastName: string, settings: object = {}, more: object = {}): Step => ({
  name: 'Create lead',
  parameters: { resource: 'lead', operation: 'create', FirstName: 'Ada', LastName, ...more },
  settings,
})
