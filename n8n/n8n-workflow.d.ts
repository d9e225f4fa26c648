/**
 * The part of n8n-workflow that the nodes use. n8n brings the package itself at run time; installing it here would bring a hundred
 * others, some of them native. `npm run test:n8n` checks the sources against the real declarations too.
 */
declare module 'n8n-workflow' {
  export type GenericValue = string | number | boolean | object | null | undefined
  export interface IDataObject {
    [key: string]: GenericValue | IDataObject | GenericValue[] | IDataObject[]
  }
  export type JsonObject = { [key: string]: JsonValue }
  export type JsonValue = string | number | boolean | null | JsonObject | JsonValue[]
  export type NodeParameterValueType = string | number | boolean | null | undefined | object

  export const NodeConnectionTypes: { readonly Main: 'main' }
  export type NodeConnectionType = 'main'
  export type Icon = `file:${string}` | { readonly light: `file:${string}`; readonly dark: `file:${string}` }

  export interface IDisplayOptions {
    show?: { [name: string]: (string | number | boolean)[] }
    hide?: { [name: string]: (string | number | boolean)[] }
  }
  export interface INodePropertyOptions {
    name: string
    value: string | number | boolean
    action?: string
    description?: string
  }
  export interface INodePropertyCollection {
    displayName: string
    name: string
    values: INodeProperties[]
  }
  export interface INodePropertyMode {
    displayName: string
    name: string
    type: 'string' | 'list'
    hint?: string
    placeholder?: string
    typeOptions?: { searchListMethod?: string; searchable?: boolean; searchFilterRequired?: boolean }
  }
  export interface INodeProperties {
    displayName: string
    name: string
    type:
      | 'boolean'
      | 'collection'
      | 'dateTime'
      | 'fixedCollection'
      | 'json'
      | 'multiOptions'
      | 'notice'
      | 'number'
      | 'options'
      | 'resourceLocator'
      | 'resourceMapper'
      | 'string'
    default: NodeParameterValueType
    description?: string
    hint?: string
    placeholder?: string
    required?: boolean
    noDataExpression?: boolean
    typeOptions?: {
      password?: boolean
      rows?: number
      minValue?: number
      maxValue?: number
      numberPrecision?: number
      multipleValues?: boolean
      multipleValueButtonText?: string
      loadOptionsMethod?: string
      loadOptionsDependsOn?: string[]
      resourceMapper?: {
        resourceMapperMethod: string
        mode: 'add' | 'update' | 'upsert' | 'map'
        valuesLabel?: string
        fieldWords?: { singular: string; plural: string }
        addAllFields?: boolean
        supportAutoMap?: boolean
      }
    }
    displayOptions?: IDisplayOptions
    options?: (INodePropertyOptions | INodeProperties | INodePropertyCollection)[]
    modes?: INodePropertyMode[]
  }
  export interface INodeListSearchResult {
    results: { name: string; value: string; url?: string; description?: string }[]
    paginationToken?: string
  }
  export type FieldType = 'array' | 'boolean' | 'dateTime' | 'number' | 'object' | 'options' | 'string'
  export interface ResourceMapperField {
    id: string
    displayName: string
    defaultMatch: boolean
    canBeUsedToMatch?: boolean
    required: boolean
    display: boolean
    type?: FieldType
    /** Set by the editor: whether the field is not shown. */
    removed?: boolean
    options?: INodePropertyOptions[]
  }
  export interface ResourceMapperFields {
    fields: ResourceMapperField[]
    emptyFieldsNotice?: string
  }

  export interface INodeExecutionData {
    json: IDataObject
    pairedItem?: { item: number }
    error?: NodeApiError | NodeOperationError
    [key: string]: unknown
  }

  export interface INode {
    id: string
    name: string
    type: string
    typeVersion: number
    position: [number, number]
    parameters: { [name: string]: NodeParameterValueType }
  }

  export interface IHttpRequestOptions {
    url: string
    method?: 'GET' | 'POST'
    headers?: IDataObject
    body?: GenericValue
    json?: boolean
    returnFullResponse?: boolean
    ignoreHttpStatusErrors?: boolean
    disableFollowRedirect?: boolean
    timeout?: number
  }

  export interface Logger {
    warn(message: string, metadata?: object): void
    error(message: string, metadata?: object): void
  }

  interface FunctionsBase {
    logger: Logger
    getCredentials<T extends object = IDataObject>(type: string, itemIndex?: number): Promise<T>
    /** Undefined under the MCP Server Trigger, whatever n8n declares. */
    getExecutionId(): string
    getInstanceId(): string
    getNode(): INode
    getTimezone(): string
    getWorkflow(): { id?: string; name?: string; active: boolean }
    getWorkflowStaticData(type: string): IDataObject
    helpers: {
      // biome-ignore lint/suspicious/noExplicitAny: It answers with whatever the service does.
      httpRequestWithAuthentication(this: unknown, credentialsType: string, requestOptions: IHttpRequestOptions): Promise<any>
      returnJsonArray(data: IDataObject | IDataObject[]): INodeExecutionData[]
    }
  }

  export interface IExecuteFunctions extends FunctionsBase {
    continueOnFail(): boolean
    getContext(type: 'flow' | 'node'): IDataObject
    getInputData(): INodeExecutionData[]
    getNodeParameter(name: string, itemIndex: number, fallback?: unknown): NodeParameterValueType
    /** Whether an agent called the node itself, and not n8n's engine. Not in every n8n. */
    isToolExecution?(): boolean
    getWorkflowDataProxy(itemIndex: number): { $runIndex?: number; [name: string]: unknown }
  }
  export interface ILoadOptionsFunctions extends FunctionsBase {
    getCurrentNodeParameter(name: string): NodeParameterValueType
  }
  interface Parameters extends FunctionsBase {
    getNodeParameter(name: string, fallback?: unknown): NodeParameterValueType
    getMode(): string
  }
  export interface IHookFunctions extends Parameters {
    getNodeWebhookUrl(name: 'default'): string | undefined
  }
  export interface IPollFunctions extends Parameters {
    /** Not in every n8n. */
    getPollBudgetMs?(): number
  }
  export interface IWebhookFunctions extends Parameters {
    getHeaderData(): { [name: string]: string | string[] | undefined }
    getNodeWebhookUrl(name: 'default'): string | undefined
    getRequestObject(): { rawBody: Buffer; readRawBody(): Promise<void> }
    getResponseObject(): { status(code: number): { json(body: unknown): unknown } }
  }
  export interface IWebhookResponseData {
    workflowData?: INodeExecutionData[][]
    webhookResponse?: unknown
    noWebhookResponse?: boolean
  }

  export interface INodeTypeDescription {
    displayName: string
    name: string
    icon: Icon
    group: ('input' | 'output' | 'transform' | 'trigger')[]
    version: number
    subtitle?: string
    description: string
    defaults: { name: string }
    usableAsTool?: true
    polling?: true
    inputs: NodeConnectionType[]
    outputs: NodeConnectionType[]
    credentials?: { name: string; required?: boolean }[]
    webhooks?: { name: 'default'; httpMethod: 'POST'; responseMode: string; path: string; ndvHideMethod?: boolean }[]
    properties: INodeProperties[]
  }
  export interface INodeType {
    description: INodeTypeDescription
    execute?(this: IExecuteFunctions): Promise<INodeExecutionData[][]>
    poll?(this: IPollFunctions): Promise<INodeExecutionData[][] | null>
    webhook?(this: IWebhookFunctions): Promise<IWebhookResponseData>
    methods?: {
      loadOptions?: { [name: string]: (this: ILoadOptionsFunctions) => Promise<INodePropertyOptions[]> }
      listSearch?: { [name: string]: (this: ILoadOptionsFunctions, filter?: string, token?: string) => Promise<INodeListSearchResult> }
      resourceMapping?: { [name: string]: (this: ILoadOptionsFunctions) => Promise<ResourceMapperFields> }
    }
    webhookMethods?: { default?: { [name in 'checkExists' | 'create' | 'delete']: (this: IHookFunctions) => Promise<boolean> } }
  }

  export interface IAuthenticateGeneric {
    type: 'generic'
    properties: { headers?: IDataObject }
  }
  export interface ICredentialTestRequest {
    request: { baseURL?: string; url: string; method?: 'GET' | 'POST'; body?: object; json?: boolean; disableFollowRedirect?: boolean }
    rules?: { type: 'responseSuccessBody'; properties: { message: string; key: string; value: unknown } }[]
  }
  export interface ICredentialType {
    name: string
    displayName: string
    icon?: Icon
    documentationUrl?: string
    properties: INodeProperties[]
    authenticate?: IAuthenticateGeneric
    test?: ICredentialTestRequest
  }

  interface ErrorOptions {
    message?: string
    description?: string
    itemIndex?: number
  }
  export class NodeApiError extends Error {
    constructor(node: INode, error: JsonObject, options?: ErrorOptions & { httpCode?: string })
    description: string | null | undefined
    httpCode: string | null
  }
  export class NodeOperationError extends Error {
    constructor(node: INode, error: Error | string | JsonObject, options?: ErrorOptions)
    description: string | null | undefined
  }
}
