import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow'
import { call, Refusal } from '../CrmConnector/call.ts'

/** A webhook of the service that leads to this node, by its URL: that of a test is another one. */
interface Registered {
  readonly id: string
  readonly secret: string
}

interface Hook {
  readonly WebhookID: string
  readonly URL: string
  readonly EventTypes: readonly string[]
  readonly Active: boolean
}

/** What the workflow keeps of its webhooks. */
export function keptIn(context: IHookFunctions | IWebhookFunctions): { [url: string]: Registered } {
  const data = context.getWorkflowStaticData('node')
  data.webhooks ??= {}
  return data.webhooks as unknown as { [url: string]: Registered }
}

export function urlOf(context: IHookFunctions): string {
  const url = context.getNodeWebhookUrl('default')
  if (url === undefined) throw new Error('The webhook of this node has no URL.')
  return url
}

const typesOf = (context: IHookFunctions) => (context.getNodeParameter('events', []) as string[]).toSorted()

/** The webhooks of the service that lead to a URL. */
async function hooksAt(context: IHookFunctions, url: string): Promise<Hook[]> {
  const { body } = await call(context, 'get_many_webhooks', { Filters: { URL: url } })
  return body.Records as unknown as Hook[]
}

/** Whether there is a webhook whose secret is known. One that was paused, as after a long time without n8n, is resumed: its events wait. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
  const url = urlOf(context)
  const registered = keptIn(context)[url]
  const hook = registered && (await hooksAt(context, url)).find(({ WebhookID }) => WebhookID === registered.id)
  if (hook) await bringUpToDate(context, hook)
  return hook !== undefined
}

async function bringUpToDate(context: IHookFunctions, { WebhookID, EventTypes, Active }: Hook): Promise<void> {
  const types = typesOf(context)
  if (Active && EventTypes.toSorted().join() === types.join()) return
  await call(context, 'update_webhook', { WebhookID, FieldsToUpdate: { EventTypes: types, Active: true } })
}

/**
 * Registers the node. A webhook that leads here already, whose secret was lost, gets a new secret: events that wait for it are still
 * delivered, signed with both. Those that lead to where this node was before are removed.
 */
export async function register(context: IHookFunctions): Promise<void> {
  const url = urlOf(context)
  const kept = keptIn(context)
  if (context.getMode() !== 'manual') for (const [other, { id }] of Object.entries(kept)) if (other !== url) await remove(context, other, id)
  const [hook, ...more] = await hooksAt(context, url)
  for (const { WebhookID } of more) await remove(context, url, WebhookID)
  if (hook) await bringUpToDate(context, hook)
  const { body } = hook
    ? await call(context, 'rotate_webhook_secret', { WebhookID: hook.WebhookID })
    : await call(context, 'create_webhook', { URL: url, EventTypes: typesOf(context), Label: labelOf(context) })
  const { WebhookID, Secret } = body as { WebhookID: string; Secret: string }
  kept[url] = { id: WebhookID, secret: Secret }
}

/** Who the webhook belongs to, for people who look at the list. */
const labelOf = (context: IHookFunctions) => `n8n: ${context.getWorkflow().name ?? context.getWorkflow().id ?? 'a workflow'}`.slice(0, 255)

export async function unregister(context: IHookFunctions): Promise<void> {
  const url = urlOf(context)
  for (const { WebhookID } of await hooksAt(context, url)) await remove(context, url, WebhookID)
  delete keptIn(context)[url]
}

/** One that is gone already is as well. */
async function remove(context: IHookFunctions, url: string, WebhookID: string): Promise<void> {
  await call(context, 'delete_webhook', { WebhookID }).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.problem.code === 'not_found')) throw error
  })
  delete keptIn(context)[url]
}
