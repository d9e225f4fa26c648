import type { IDataObject, IPollFunctions } from 'n8n-workflow'
import { call, Refusal } from '../CrmConnector/call.ts'
import { valueAs } from '../CrmConnector/values.ts'
import { chosenChanges, isChosen } from '../CrmConnectorTrigger/chosen.ts'
import { eventTypes } from '../CrmConnectorTrigger/event-types.ts'

/** The largest page of the service, and the most pages per poll; the next poll brings the rest. */
const PAGE = 1000
const PAGES = 10

/** The cursor before the oldest stored event. */
const OLDEST = '0'

/** The error for a cursor that the service does not know; only a person can decide where to start again. */
const UNKNOWN = {
  detail:
    'The service does not know the event up to which events were already read. It may have been restored from a backup, be another one, or no longer accept numbers as cursors from this key.',
  hint: 'Choose under Start From where to start again: a date before the backup, or the oldest stored event.',
}

interface State {
  /** All events up to here were returned. */
  cursor?: string
  /** The start parameters that the cursor belongs to; other ones start again. */
  start?: string
}

/** The chosen event types, with wildcards resolved. */
function chosenTypes(context: IPollFunctions): ReadonlySet<string> {
  const wanted = context.getNodeParameter('events', []) as string[]
  const all = eventTypes.map(({ value }) => String(value)).filter((type) => !type.endsWith('*'))
  return new Set(all.filter((type) => wanted.includes(type) || wanted.includes('*') || wanted.includes(`${type.split('.')[0]}.*`)))
}

/** The newest matching change. Its id is a cursor for the events after it. */
async function newestChange(context: IPollFunctions, filters: IDataObject): Promise<{ ChangeID: string; At: string } | undefined> {
  const { body } = await call(context, 'get_many_changes', { Filters: filters, Limit: 1, Select: ['At'] })
  const [change] = body.Records as { ChangeID: string; At: string }[]
  return change
}

/** The first cursor: now, at a time, or before the oldest stored event. */
async function startCursor(context: IPollFunctions): Promise<string> {
  const from = context.getNodeParameter('startFrom', 'now')
  if (from === 'oldest') return OLDEST
  const at = from === 'date' ? valueAs('timestamp', context.getNodeParameter('startDate', ''), context.getTimezone()) : undefined
  return (await newestChange(context, at ? { At: { lt: at } } : {}))?.ChangeID ?? OLDEST
}

/** The events since the last poll. Moves the cursor past them. */
export async function eventsSince(context: IPollFunctions): Promise<IDataObject[]> {
  const state = context.getWorkflowStaticData('node') as State
  const start = JSON.stringify([context.getNodeParameter('startFrom', 'now'), context.getNodeParameter('startDate', '')])
  let cursor = state.start === start ? state.cursor : undefined
  cursor ??= await startCursor(context)
  const events: IDataObject[] = []
  const types = chosenTypes(context)
  const until = Date.now() + (context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY) / 2
  for (let page = 0; page < PAGES && Date.now() < until; page++) {
    const { Events, NextCursor } = await pageAfter(context, state, start, cursor)
    events.push(...Events.filter((event) => types.has(String(event.Type)) && isChosen(context, event)))
    if (NextCursor === cursor) break
    cursor = NextCursor
  }
  // Stored only at the end, so that a failed poll is repeated from its start.
  state.start = start
  state.cursor = cursor
  return events
}

async function pageAfter(context: IPollFunctions, state: State, start: string, After: string): Promise<{ Events: IDataObject[]; NextCursor: string }> {
  const { body } = await call(context, 'get_many_events', { After, Limit: PAGE }).catch((error: unknown) => {
    const cause = error instanceof Refusal && error.problem.errors?.some(({ field }) => field === 'After') ? error.problem : undefined
    // The events were deleted by age: reported once, and the next poll continues with the oldest stored event.
    if (cause?.code === 'not_found') Object.assign(state, { start, cursor: OLDEST })
    if (cause?.code === 'invalid_input') throw new Refusal({ ...cause, ...UNKNOWN })
    throw error
  })
  return body as unknown as { Events: IDataObject[]; NextCursor: string }
}

/** How much earlier than a change the events are read from: changes of the same time may have been committed in another order. */
const EARLIER_MS = 1000

/** The newest chosen event, for setting up the workflow. The cursor stays. */
export async function sample(context: IPollFunctions): Promise<IDataObject[]> {
  const change = await newestChange(context, { EventType: { in: [...chosenTypes(context)] }, ...chosenChanges(context) })
  if (!change) return []
  const before = await newestChange(context, { At: { lt: new Date(Date.parse(change.At) - EARLIER_MS).toISOString() } })
  const { body } = await call(context, 'get_many_events', { After: before?.ChangeID ?? OLDEST, Limit: PAGE })
  return (body.Events as IDataObject[]).filter(({ ChangeID }) => ChangeID === change.ChangeID)
}
