import { type IExecuteFunctions, type INodeExecutionData, type INodeType, type INodeTypeDescription, NodeConnectionTypes } from 'n8n-workflow'
import { CREDENTIALS } from './call.ts'
import { detailsOf, failureOf } from './failure.ts'
import { getAttempts, getDeliveries, getFields, listSearch } from './lists.ts'
import { properties } from './properties.ts'
import { answersOf } from './run.ts'
import { getWorkspaceFields } from './workspace-fields.ts'

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

  methods = { loadOptions: { getAttempts, getDeliveries, getFields }, listSearch, resourceMapping: { getWorkspaceFields } }

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = []
    for (let item = 0; item < this.getInputData().length; item++) {
      try {
        for (const json of await answersOf(this, item)) output.push({ json, pairedItem: { item } })
      } catch (error) {
        const failure = failureOf(this.getNode(), error, item)
        if (!this.continueOnFail()) throw failure
        // n8n routes an item to the error output if it has exactly `error` and `details`; of an error object it would keep only the message.
        output.push({ json: { error: failure.message, details: detailsOf(error) }, pairedItem: { item } })
      }
    }
    return [output]
  }
}
