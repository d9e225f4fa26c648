import type { Crm } from 'crm-connector'
import type { Tone } from '../parts/badge.tsx'
import { momentText } from '../parts/values.tsx'

/** No event tells about deliveries, so they are polled. */
export const POLL_MS = 5000

export type Webhook = Awaited<ReturnType<Crm['webhooks']['getMany']>>['Records'][number]
export type SecretWebhook = Extract<Awaited<ReturnType<Crm['webhooks']['create']>>, { Secret: unknown }>
export type Delivery = Awaited<ReturnType<Crm['webhooks']['getManyDeliveries']>>['Records'][number]

export function stateOf({ Active, PausedReason, FailingSince }: Webhook): { readonly word: string; readonly tone: Tone; readonly reason?: string } {
  if (!Active) return PausedReason ? { word: 'Paused', tone: 'bad', reason: PausedReason } : { word: 'Paused', tone: 'plain' }
  if (FailingSince) return { word: 'Failing', tone: 'warn', reason: `Deliveries have failed since ${momentText(FailingSince)}.` }
  return { word: 'Active', tone: 'good' }
}

/** What a webhook is sent, as a person reads it. */
export const eventsText = (types: readonly string[]): string => (types.includes('*') ? 'All events' : types.join(', '))

export const isHealthy = ({ Active, FailingSince }: Webhook): boolean => Active && !FailingSince

export const webhookName = ({ Label, URL }: Webhook) => Label ?? URL.replace(/^https?:\/\//, '')
