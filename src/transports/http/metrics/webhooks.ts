import type { Logger } from 'pino'
import type { OnDelivery } from '../../../core/webhooks/channel.ts'

const LEVELS = { delivered: 'debug', failed: 'info', paused: 'warn' } as const

/** Logs and counts what becomes of webhook deliveries. */
export function createDeliveryMetrics() {
  const counts = { delivered: 0, failed: 0, paused: 0 }
  return {
    onDelivery:
      (log: Logger): OnDelivery =>
      (outcome, facts) => {
        counts[outcome]++
        log[LEVELS[outcome]](facts, `webhook ${outcome}`)
      },
    text: () =>
      [
        '',
        '# HELP crm_webhook_deliveries_total Attempts to deliver an event to a webhook, by outcome; paused counts webhooks that were paused.',
        '# TYPE crm_webhook_deliveries_total counter',
        ...Object.entries(counts).map(([outcome, count]) => `crm_webhook_deliveries_total{outcome="${outcome}"} ${count}`),
        '',
      ].join('\n'),
  }
}
