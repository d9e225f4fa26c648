import { type INodeExecutionData, type INodeType, type INodeTypeDescription, type IPollFunctions, NodeConnectionTypes } from 'n8n-workflow'
import { CREDENTIALS } from '../CrmConnector/call.ts'
import { failureOf } from '../CrmConnector/failure.ts'
import { eventTypes } from '../CrmConnectorTrigger/event-types.ts'
import { source } from '../CrmConnectorTrigger/source.ts'
import { eventsSince, sample } from './events.ts'

export class CrmConnectorPollingTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'CRM Connector Polling Trigger',
    name: 'crmConnectorPollingTrigger',
    icon: { light: 'file:../../icons/crm-connector.svg', dark: 'file:../../icons/crm-connector.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow with the events of CRM records since the last poll',
    defaults: { name: 'CRM Connector Polling Trigger' },
    polling: true,
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: CREDENTIALS, required: true }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        default: ['lead.created'],
        required: true,
        description: 'The events that start the workflow',
        options: eventTypes,
      },
      source,
      {
        displayName: 'Start From',
        name: 'startFrom',
        type: 'options',
        default: 'now',
        description: 'Where the first poll starts. Changing it later starts there again.',
        options: [
          { name: 'Date', value: 'date' },
          { name: 'Now', value: 'now' },
          { name: 'Oldest Event Kept', value: 'oldest' },
        ],
      },
      {
        displayName: 'Start Date',
        name: 'startDate',
        type: 'dateTime',
        default: '',
        required: true,
        displayOptions: { show: { startFrom: ['date'] } },
      },
    ],
  }

  async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
    try {
      const events = this.getMode() === 'manual' ? await sample(this) : await eventsSince(this)
      return events.length > 0 ? [this.helpers.returnJsonArray(events)] : null
    } catch (error) {
      throw failureOf(this.getNode(), error)
    }
  }
}
