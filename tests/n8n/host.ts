import type { IExecuteFunctions, IHookFunctions, IHttpRequestOptions, ILoadOptionsFunctions, INode, INodeExecutionData, INodeType } from 'n8n-workflow'
import { withDefaults } from './displayed.ts'

/** Where the service is, and the key. */
export interface Access {
  readonly url: string
  readonly key: string
}

export interface Run {
  /** The parameters of the node, or those of each item. */
  readonly parameters: object | readonly object[]
  readonly items?: number
  /** null where there is none, as under the MCP Server Trigger. */
  readonly executionId?: string | null
  readonly nodeId?: string
  readonly runIndex?: number
  readonly continueOnFail?: boolean
  /** What an agent asked for, where it calls the node by itself; n8n hands the same object over with each attempt. */
  readonly asked?: object
  readonly timezone?: string
  /** What the node keeps within an execution, which n8n hands on to one that is retried. */
  readonly context?: { [name: string]: unknown }
}

const NODE: INode = { id: 'node-1', name: 'CRM Connector', type: 'crmConnector', typeVersion: 1, position: [0, 0], parameters: {} }

/** What n8n does for a node that calls out: adds the header of the credentials, and answers as asked. */
function helpersOf({ key }: Access) {
  return {
    async httpRequestWithAuthentication(this: unknown, _type: string, { url, method = 'GET', headers, body, disableFollowRedirect }: IHttpRequestOptions) {
      const response = await fetch(url, {
        method,
        headers: { 'content-type': 'application/json', ...(headers as Record<string, string>), Authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
        redirect: disableFollowRedirect ? 'manual' : 'follow',
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json')
      return { statusCode: response.status, headers: Object.fromEntries(response.headers), body: isJson ? JSON.parse(text) : text }
    },
    returnJsonArray: (data: object | object[]) => [data].flat().map((json) => ({ json })) as INodeExecutionData[],
  }
}

const baseOf = (access: Access, node: INode = NODE) => ({
  logger: { warn: () => {}, error: () => {} },
  getCredentials: async () => ({ baseUrl: access.url, apiKey: access.key }),
  getInstanceId: () => 'instance-1',
  getNode: () => node,
  getWorkflow: () => ({ id: 'workflow-1', name: 'A workflow', active: true }),
  helpers: helpersOf(access),
})

/** Runs a node over its items, as n8n does. */
export async function execute(node: INodeType, access: Access, run: Run): Promise<INodeExecutionData[]> {
  const { executionId = '1', nodeId = 'node-1', runIndex = 0, continueOnFail = false, timezone = 'UTC', context = {}, asked } = run
  const all = Array.isArray(run.parameters) ? (run.parameters as object[]) : Array.from({ length: run.items ?? 1 }, () => run.parameters as object)
  const parameters = all.map((given) => withDefaults(node.description.properties, given as { [name: string]: unknown }))
  const functions = {
    ...baseOf(access, { ...NODE, id: nodeId }),
    getExecutionId: () => executionId ?? undefined,
    getTimezone: () => timezone,
    continueOnFail: () => continueOnFail,
    getContext: () => context,
    getInputData: () => all.map(() => ({ json: asked ?? {} })),
    isToolExecution: () => asked !== undefined,
    getWorkflowDataProxy: () => ({ $runIndex: runIndex }),
    getNodeParameter(name: string, item: number, fallback?: unknown) {
      const values = parameters[item] ?? {}
      const value = name in values ? values[name] : fallback
      if (value === undefined && !(name in values)) throw new Error(`Could not get parameter ${name}`)
      // An expression, which may find nothing, or fail.
      return typeof value === 'function' ? value() : value
    },
  } as unknown as IExecuteFunctions
  const [output = []] = (await node.execute?.call(functions)) ?? []
  return output
}

/** What a trigger is given: its parameters, and what the workflow keeps for it. */
export interface Set {
  readonly parameters: { readonly [name: string]: unknown }
  readonly kept: { [name: string]: unknown }
  readonly url?: string
  readonly mode?: string
}

export function triggerFunctions<T = IHookFunctions>(node: INodeType, access: Access, { parameters, kept, url, mode = 'trigger' }: Set, more: object = {}): T {
  const values = withDefaults(node.description.properties, parameters)
  return {
    ...baseOf(access),
    getMode: () => mode,
    getTimezone: () => 'UTC',
    getNodeParameter: (name: string, fallback?: unknown) => values[name] ?? fallback,
    getWorkflowStaticData: () => kept,
    getNodeWebhookUrl: () => url,
    ...more,
  } as unknown as T
}

export function listFunctions(access: Access, parameters: { readonly [name: string]: unknown }): ILoadOptionsFunctions {
  return { ...baseOf(access), getCurrentNodeParameter: (name: string) => parameters[name] } as unknown as ILoadOptionsFunctions
}
