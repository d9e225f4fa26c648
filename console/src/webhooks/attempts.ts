import type { Crm } from 'crm-connector'
import { TEST_EVENT } from 'crm-connector/contract'

/** The service keeps no more of a webhook. */
const MOST = 100

/** What the list shows of an attempt: not what was sent and answered. */
const LISTED = ['AttemptID', 'EventID', 'EventType', 'SentDate', 'Delivered', 'Status', 'Error', 'Milliseconds'] as const

export const listedAttempts = async (crm: Crm, WebhookID: string, signal: AbortSignal) =>
  (await crm.webhooks.getManyAttempts({ Filters: { WebhookID }, Limit: MOST, Select: [...LISTED] }, { signal })).Records

export type ListedAttempt = Awaited<ReturnType<typeof listedAttempts>>[number]

/** Whether the event was a test, which the journal does not have. */
export const isTest = ({ EventType }: Pick<ListedAttempt, 'EventType'>): boolean => EventType === TEST_EVENT

/** The attempt with its headers and answer, and the event that was its body as the journal has it now; without one where it is no longer kept. */
export async function exchangeOf(crm: Crm, listed: ListedAttempt, mayReadEvents: boolean, signal: AbortSignal) {
  const { AttemptID, EventID } = listed
  const [attempts, events] = await Promise.all([
    crm.webhooks.getManyAttempts({ Filters: { AttemptID } }, { signal }),
    mayReadEvents && !isTest(listed) ? crm.events.getMany({ After: String(Number(EventID) - 1), Limit: 1 }, { signal }).catch(() => undefined) : undefined,
  ])
  return { attempt: attempts.Records[0], event: events?.Events.find((event) => event.EventID === EventID) }
}
