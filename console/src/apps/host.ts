/** What a tool has answered, as far as it is shown. */
export interface ToolResult {
  readonly isError?: boolean
  readonly structuredContent?: { readonly [member: string]: unknown }
  readonly content?: readonly { readonly type: string; readonly text?: string }[]
  readonly _meta?: { readonly [member: string]: unknown }
}

export type Arguments = { readonly [name: string]: unknown }

interface HostContext {
  readonly theme?: 'light' | 'dark'
  readonly toolInfo?: { readonly tool?: { readonly name?: string } }
}

export interface Shown {
  /** The name of the tool that was called. */
  readonly tool?: string
  readonly arguments?: Arguments
  readonly result?: ToolResult
}

const PROTOCOL = '2026-01-26'

/** The program around the page, which shows what a tool has answered: JSON-RPC by messages, as MCP Apps prescribe it. */
export function connectHost(onShown: (shown: Shown) => void): { callTool(name: string, args: Arguments): Promise<ToolResult> } {
  const waiting = new Map<number, (message: { result?: unknown; error?: { message?: string } }) => void>()
  let shown: Shown = {}
  let last = 0
  // A page in a sandbox has no origin that it could check; only the window that embeds it is listened to.
  const send = (message: object) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
  const request = (method: string, params: object) =>
    new Promise<unknown>((resolve, reject) => {
      const id = ++last
      waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message ?? 'The program around this page has refused it.')) : resolve(result)))
      send({ id, method, params })
    })
  const show = (more: Shown) => {
    shown = { ...shown, ...more }
    onShown(shown)
  }
  const follow = ({ theme, toolInfo }: HostContext) => {
    if (theme) document.documentElement.dataset.theme = theme
    if (toolInfo?.tool?.name) show({ tool: toolInfo.tool.name })
  }
  const handlers: { readonly [method: string]: (params: never) => void } = {
    'ui/notifications/tool-input': ({ arguments: given }: { arguments?: Arguments }) => show({ arguments: given ?? {} }),
    'ui/notifications/tool-result': (result: ToolResult) => show({ result }),
    'ui/notifications/host-context-changed': follow,
  }

  window.addEventListener('message', ({ source, data }) => {
    if (source !== window.parent || typeof data !== 'object' || data === null || data.jsonrpc !== '2.0') return
    if (typeof data.method === 'string') {
      handlers[data.method]?.((data.params ?? {}) as never)
      // Requests of the host, such as the one before it takes the page away, need no more than an answer.
      if (data.id !== undefined) send({ id: data.id, result: {} })
    } else if (waiting.has(data.id)) {
      waiting.get(data.id)?.(data)
      waiting.delete(data.id)
    }
  })

  request('ui/initialize', { appInfo: { name: 'crm-connector', version: '1' }, appCapabilities: {}, protocolVersion: PROTOCOL }).then((result) => {
    follow((result as { hostContext?: HostContext }).hostContext ?? {})
    send({ method: 'ui/notifications/initialized' })
  })
  new ResizeObserver(() => {
    const { scrollWidth: width, scrollHeight: height } = document.documentElement
    send({ method: 'ui/notifications/size-changed', params: { width, height } })
  }).observe(document.body)

  return { callTool: async (name, args) => (await request('tools/call', { name, arguments: args })) as ToolResult }
}
