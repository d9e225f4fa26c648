import {
  type IDataObject,
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow'
import { CREDENTIALS } from '../CrmConnector/call.ts'
import { failureOf } from '../CrmConnector/failure.ts'
import { isChosen } from './chosen.ts'
import { claimDelivery } from './deliveries.ts'
import { eventTypes } from './event-types.ts'
import { isRegistered, register, registrationsOf, unregister } from './registration.ts'
import { headerFault, signatureFault } from './signature.ts'
import { source } from './source.ts'

/** The event type of Test Webhook. */
const TEST = 'webhook.test'

export class CrmConnectorTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'CRM Connector Trigger',
    name: 'crmConnectorTrigger',
    icon: { light: 'file:../../icons/crm-connector.svg', dark: 'file:../../icons/crm-connector.dark.svg' },
    group: ['trigger'],
    version: 1,
    subtitle: '={{ $parameter["events"].join(", ") }}',
    description: 'Starts the workflow when something happens to a record of the CRM',
    defaults: { name: 'CRM Connector Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: CREDENTIALS, required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'crm' }],
    properties: [
      {
        displayName:
          'The service must be able to reach this n8n. It refuses private networks and its own machine unless it is started with CRM_WEBHOOK_PRIVATE=true. The polling trigger needs neither.',
        name: 'notice',
        type: 'notice',
        default: '',
      },
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
    ],
  }

  webhookMethods = {
    default: {
      async checkExists(this: IHookFunctions): Promise<boolean> {
        return withFailure(this, () => isRegistered(this))
      },
      async create(this: IHookFunctions): Promise<boolean> {
        await withFailure(this, () => register(this))
        return true
      },
      async delete(this: IHookFunctions): Promise<boolean> {
        await withFailure(this, () => unregister(this))
        return true
      },
    },
  }

  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const headers = this.getHeaderData()
    const unsigned = headerFault(headers)
    if (unsigned !== undefined) return refuse(this, 401, unsigned)
    const body = await bodyOf(this)
    if (body === undefined) return refuse(this, 400, 'The body of the delivery cannot be read.')
    const delivery = { headers, body }
    const faults = Object.values(registrationsOf(this)).map(({ secret }) => signatureFault(delivery, secret))
    if (!faults.includes(undefined)) {
      return refuse(this, 401, faults[0] ?? 'No webhook is registered here.')
    }
    const event = JSON.parse(body.toString()) as IDataObject
    const state = event.Type === TEST || !isChosen(this, event) ? 'duplicate' : claimDelivery(this.getWorkflowStaticData('node'), String(headers['webhook-id']))
    if (state === 'in progress') return refuse(this, 503, 'This delivery is being processed. Try again in a minute.')
    return state === 'start' ? { workflowData: [this.helpers.returnJsonArray(event)] } : { webhookResponse: { received: true } }
  }
}

/** The raw body; undefined if n8n parsed it as a form, or it is too large or incomplete. */
async function bodyOf(context: IWebhookFunctions): Promise<Buffer | undefined> {
  const request = context.getRequestObject()
  if (request.rawBody === undefined) await request.readRawBody().catch(() => undefined)
  return request.rawBody
}

function refuse(context: IWebhookFunctions, status: number, message: string): IWebhookResponseData {
  context.getResponseObject().status(status).json({ message })
  return { noWebhookResponse: true }
}

/** Throws errors in the form that n8n shows. */
async function withFailure<T>(context: IHookFunctions, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw failureOf(context.getNode(), error)
  }
}
