import type { IHookFunctions, IWebhookFunctions } from 'n8n-workflow'
import { call, Refusal } from '../CrmConnector/call.ts'

/** The webhook of a URL of this node; test runs have a URL of their own. */
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

/** The registered webhooks by URL, stored with the workflow. */
export function registrationsOf(context: IHookFunctions | IWebhookFunctions): { [url: string]: Registered } {
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

async function hooksAt(context: IHookFunctions, url: string): Promise<Hook[]> {
  const { body } = await call(context, 'get_many_webhooks', { Filters: { URL: url } })
  return body.Records as unknown as Hook[]
}

/** Whether a webhook exists whose secret is stored. A paused one, as after a long outage of n8n, is resumed: its events are still waiting. */
export async function isRegistered(context: IHookFunctions): Promise<boolean> {
  const url = urlOf(context)
  const registered = registrationsOf(context)[url]
  const hook = registered && (await hooksAt(context, url)).find(({ WebhookID }) => WebhookID === registered.id)
  if (hook) await updateHook(context, hook)
  return hook !== undefined
}

async function updateHook(context: IHookFunctions, { WebhookID, EventTypes, Active }: Hook): Promise<void> {
  const types = typesOf(context)
  if (Active && EventTypes.toSorted().join() === types.join()) return
  await call(context, 'update_webhook', { WebhookID, FieldsToUpdate: { EventTypes: types, Active: true } })
}

/**
 * Registers the node. If the service already has a webhook for this URL whose secret was lost, the secret is rotated: waiting events are
 * still delivered, signed with both. Webhooks of earlier URLs of this node are deleted.
 */
export async function register(context: IHookFunctions): Promise<void> {
  const url = urlOf(context)
  const registrations = registrationsOf(context)
  if (context.getMode() !== 'manual') for (const [other, { id }] of Object.entries(registrations)) if (other !== url) await remove(context, other, id)
  const [hook, ...more] = await hooksAt(context, url)
  for (const { WebhookID } of more) await remove(context, url, WebhookID)
  if (hook) await updateHook(context, hook)
  const { body } = hook
    ? await call(context, 'rotate_webhook_secret', { WebhookID: hook.WebhookID })
    : await call(context, 'create_webhook', { URL: url, EventTypes: typesOf(context), Label: labelOf(context) })
  const { WebhookID, Secret } = body as { WebhookID: string; Secret: string }
  registrations[url] = { id: WebhookID, secret: Secret }
}

const labelOf = (context: IHookFunctions) => `n8n: ${context.getWorkflow().name ?? context.getWorkflow().id ?? 'a workflow'}`.slice(0, 255)

export async function unregister(context: IHookFunctions): Promise<void> {
  const url = urlOf(context)
  for (const { WebhookID } of await hooksAt(context, url)) await remove(context, url, WebhookID)
  delete registrationsOf(context)[url]
}

/** A webhook that no longer exists counts as removed. */
async function remove(context: IHookFunctions, url: string, WebhookID: string): Promise<void> {
  await call(context, 'delete_webhook', { WebhookID }).catch((error: unknown) => {
    if (!(error instanceof Refusal && error.problem.code === 'not_found')) throw error
  })
  delete registrationsOf(context)[url]
}
