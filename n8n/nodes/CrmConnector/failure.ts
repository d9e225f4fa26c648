import { type INode, type JsonObject, NodeApiError } from 'n8n-workflow'
import { adviceOf, Refusal } from './call.ts'

/** What n8n shows of a call that failed: the service's own words, every fault, and what to do. */
export function failureOf(node: INode, error: unknown, itemIndex?: number): NodeApiError {
  const where = itemIndex === undefined ? {} : { itemIndex }
  if (!(error instanceof Refusal)) return new NodeApiError(node, error as JsonObject, where)
  const { problem } = error
  return new NodeApiError(node, problem as unknown as JsonObject, {
    message: problem.detail,
    description: adviceOf(problem),
    httpCode: String(problem.status),
    ...where,
  })
}
