import type { Crm } from 'crm-connector'
import type { Tone } from '../parts/badge.tsx'
import { momentText } from '../parts/values.tsx'

/** Webhooks announce nothing of how they fare, so that it is asked for. */
export const POLL_MS = 5000

export type Webhook = Awaited<ReturnType<Crm['webhooks']['getMany']>>['Records'][number]
export type SecretWebhook = Extract<Awaited<ReturnType<Crm['webhooks']['create']>>, { Secret: unknown }>
export type Delivery = Awaited<ReturnType<Crm['webhooks']['getManyDeliveries']>>['Records'][number]

/** How a webhook fares, in a word, and what there is to know about it. */
export function stateOf({ Active, PausedReason, FailingSince }: Webhook): { readonly word: string; readonly tone: Tone; readonly reason?: string } {
  if (!Active) return PausedReason ? { word: 'paused', tone: 'bad', reason: PausedReason } : { word: 'paused', tone: 'plain' }
  if (FailingSince) return { word: 'failing', tone: 'warn', reason: `Deliveries have failed since ${momentText(FailingSince)}.` }
  return { word: 'active', tone: 'good' }
}

/** Whether it is sent what happens, and takes it. */
export const isHealthy = ({ Active, FailingSince }: Webhook): boolean => Active && !FailingSince

export const webhookName = ({ Label, URL }: Webhook) => Label ?? URL.replace(/^https?:\/\//, '')
