/** What n8n brings and the nodes need at run time, as far as they do: the tests run without n8n. `npm run test:n8n` has the real one. */
export const NodeConnectionTypes = { Main: 'main' } as const

interface Options {
  readonly message?: string
  readonly description?: string
  readonly httpCode?: string
  readonly itemIndex?: number
}

class NodeError extends Error {
  readonly node: unknown
  readonly description: string | null
  readonly context: { readonly itemIndex: number | undefined }

  constructor(node: unknown, message: string, { description, itemIndex }: Options) {
    super(message)
    this.node = node
    this.description = description ?? null
    this.context = { itemIndex }
  }
}

export class NodeApiError extends NodeError {
  readonly httpCode: string | null

  constructor(node: unknown, error: { readonly message?: string }, options: Options = {}) {
    super(node, options.message ?? error.message ?? 'The service was not able to process your request', options)
    this.httpCode = options.httpCode ?? null
  }
}

export class NodeOperationError extends NodeError {
  constructor(node: unknown, error: Error | string, options: Options = {}) {
    super(node, options.message ?? (typeof error === 'string' ? error : error.message), options)
  }
}
