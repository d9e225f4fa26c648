import type { IDataObject, IPollFunctions, IWebhookFunctions } from 'n8n-workflow'
import { source } from './source.ts'

type Context = IPollFunctions | IWebhookFunctions

/** The source of events from the CRM itself, and the transport of their changes. */
const IN_CRM = 'crm'

/** Workflows from before there was the choice take every event. */
const chosenSource = (context: Context) => context.getNodeParameter(source.name, source.default)

/** What the connector says of its own mirror, such as `connection.resynced`, has that source too, and was not done in the CRM. */
const CONNECTION = 'Connection'

/** Whether an event comes from where it has to, to start the workflow. */
export function isChosen(context: Context, { Source, RecordType }: IDataObject): boolean {
  const chosen = chosenSource(context)
  return chosen === source.default || (chosen === Source && !(Source === IN_CRM && RecordType === CONNECTION))
}

/** The same as a filter of changes. */
export function chosenChanges(context: Context): IDataObject {
  const chosen = chosenSource(context)
  if (chosen === source.default) return {}
  return chosen === IN_CRM ? { Transport: IN_CRM, RecordType: { ne: CONNECTION } } : { Transport: { ne: IN_CRM } }
}
