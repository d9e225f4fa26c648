import { type IDataObject, type INode, type JsonObject, NodeApiError, NodeOperationError } from 'n8n-workflow'
import { adviceOf, type Problem, Refusal } from './call.ts'
import { ParameterFault } from './parameter-fault.ts'

/** The error that n8n shows: the message of the service, all faults, and what to do. */
export function failureOf(node: INode, error: unknown, itemIndex?: number): Error {
  const where = itemIndex === undefined ? {} : { itemIndex }
  if (error instanceof ParameterFault) {
    // n8n has its own view for failed expressions.
    if (error.cause instanceof Error) return error.cause
    return new NodeOperationError(node, error, { ...(error.hint !== undefined && { description: error.hint }), ...where })
  }
  if (!(error instanceof Refusal)) return new NodeApiError(node, error as JsonObject, where)
  const { problem } = error
  return new NodeApiError(node, problem as unknown as JsonObject, {
    message: problem.detail,
    description: adviceOf(problem),
    httpCode: String(problem.status),
    ...where,
  })
}

/** The same as data, for the workflow to act on. */
export function detailsOf(error: unknown): IDataObject {
  const { code, status, errors = [], hint = null, retryable = false, retryAfter, requestId, plan } = problemOf(error)
  return {
    code,
    status,
    retryable,
    errors: errors as unknown as IDataObject[],
    hint,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(requestId !== undefined && { requestId }),
    ...(plan !== undefined && { plan: plan as IDataObject }),
  }
}

function problemOf(error: unknown): Omit<Partial<Problem>, 'status'> & { readonly code: string; readonly status: number | null } {
  if (error instanceof Refusal) return error.problem
  if (error instanceof ParameterFault)
    return { code: 'invalid_input', status: null, errors: error.errors, ...(error.hint !== undefined && { hint: error.hint }) }
  return { code: 'no_answer', status: null, retryable: true }
}
