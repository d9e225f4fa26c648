import {
  type IDataObject,
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow'
import { CREDENTIALS, Refusal } from './call.ts'
import { failureOf } from './failure.ts'
import { ParameterFault } from './input.ts'
import { getFields, listSearch } from './lists.ts'
import { properties } from './properties.ts'
import { answersOf } from './run.ts'

export class CrmConnector implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'CRM Connector',
    name: 'crmConnector',
    icon: { light: 'file:../../icons/crm-connector.svg', dark: 'file:../../icons/crm-connector.dark.svg' },
    group: ['transform'],
    version: 1,
    subtitle: '={{ $parameter["operation"] + ": " + $parameter["resource"] }}',
    description: 'Read and write leads, opportunities, cases and custom objects of a CRM',
    defaults: { name: 'CRM Connector' },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: CREDENTIALS, required: true }],
    properties,
  }

  methods = { loadOptions: { getFields }, listSearch }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = []
    for (let item = 0; item < this.getInputData().length; item++) {
      try {
        for (const json of await answersOf(this, item)) output.push({ json, pairedItem: { item } })
      } catch (error) {
        const failure =
          error instanceof ParameterFault ? new NodeOperationError(this.getNode(), error, { itemIndex: item }) : failureOf(this.getNode(), error, item)
        if (!this.continueOnFail()) throw failure
        output.push({ json: { error: failure.message, details: detailsOf(error) }, pairedItem: { item } })
      }
    }
    return [output]
  }
}

/**
 * What the service said, for the workflow to act on. n8n takes an item for a failure, and leads it to the error output, where it holds
 * nothing but `error` and `details`; with an error of its own it would keep the message alone.
 */
function detailsOf(error: unknown): IDataObject {
  if (!(error instanceof Refusal))
    return {
      code: error instanceof ParameterFault ? 'invalid_input' : 'no_answer',
      status: null,
      retryable: !(error instanceof ParameterFault),
      errors: [],
      hint: null,
    }
  const { code, status, errors = [], hint = null, retryable = false, retryAfter, requestId, plan } = error.problem
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
