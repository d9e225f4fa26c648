import type { EmptyResult } from '@modelcontextprotocol/server'
import { CrmError } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { KnownEvent } from '../../contract/records/event.ts'
import { getManyEvents } from '../../contract/records/event.ts'
import { mayCall } from '../../contract/scopes.ts'
import type { Session, Subscriptions } from './backend.ts'
import { EVENTS } from './events-resource.ts'
import { readable, uriOf } from './resources.ts'

/** An event as subscribers are told of it: without its Record, which they can read, and with the resources that it has changed. */
export interface Announcement {
  readonly event: Omit<KnownEvent, 'Record'>
  readonly uris: readonly string[]
}

/** The params of `notifications/resources/updated`. */
export const updateOf = (uri: string, { event }: Announcement) => ({ uri, _meta: { Event: event } })

export async function subscribe(session: Session, uri: string): Promise<EmptyResult> {
  const refusal = await subscribingRefusal(session)
  if (refusal) throw refusal
  await subscriptionsOf(session).change((subscribed) => {
    if (subscribed.includes(uri)) return subscribed
    if (subscribed.length < LIMITS.subscriptions) return [...subscribed, uri]
    throw new CrmError('too_large', `This client has subscribed to ${LIMITS.subscriptions} resources, the most it may have.`, {
      hint: `Unsubscribe from some of them, or subscribe to ${EVENTS}, which covers every record.`,
    })
  })
  return {}
}

export async function unsubscribe(session: Session, uri: string): Promise<EmptyResult> {
  await subscriptionsOf(session).change((subscribed) => subscribed.filter((one) => one !== uri))
  return {}
}

function subscriptionsOf({ subscriptions }: Session): Subscriptions {
  if (subscriptions) return subscriptions
  throw new CrmError('invalid_input', 'Subscriptions belong to a session, and this request names none.', {
    hint: 'Send the Mcp-Session-Id that initialize was answered with.',
  })
}

/** Why a key cannot subscribe: it may not read events. */
export async function subscribingRefusal({ backend }: Session): Promise<CrmError | undefined> {
  if (mayCall(await backend.access(), getManyEvents)) return undefined
  return new CrmError('forbidden', 'This key may not read events, so that it cannot subscribe.', { hint: 'It needs the scope read, or one such as read:Lead.' })
}

/** Events as they are committed, of records that the caller may see at that time, until `signal` aborts or the key ends. */
export async function* announcements(session: Session, after: string, signal: AbortSignal): AsyncGenerator<Announcement> {
  const records = await readable(session)
  try {
    for await (const { Record: _record, ...event } of session.backend.follow({ after, signal })) {
      const get = records.find(({ record }) => record.name === event.RecordType)
      yield { event, uris: [...(get ? [uriOf(get, event.RecordID)] : []), EVENTS] }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
