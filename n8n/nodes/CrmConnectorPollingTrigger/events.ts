import type { IDataObject, IPollFunctions } from 'n8n-workflow'
import { call, Refusal } from '../CrmConnector/call.ts'
import { valueAs } from '../CrmConnector/values.ts'
import { eventTypes } from '../CrmConnectorTrigger/event-types.ts'

/** The largest page the service has, and so many pages at most in one go; what is left comes with the next poll. */
const PAGE = 1000
const PAGES = 10

/** From the oldest event that is kept. */
const OLDEST = '0'

/** What is said of a cursor that the service does not know, which nobody but a person can put right. */
const AHEAD = {
  detail: 'The service has fewer events than have been read from it already; it may have been restored from a backup, or be another one.',
  hint: 'Choose under Start From where to begin anew: a date before the backup, or the oldest event that is kept.',
}

interface State {
  /** Everything up to here has been handed over. */
  cursor?: string
  /** What was said about where to start; saying something else starts anew. */
  start?: string
}

/** The events that were chosen, without wildcards. */
function chosen(context: IPollFunctions): ReadonlySet<string> {
  const wanted = context.getNodeParameter('events', []) as string[]
  const all = eventTypes.map(({ value }) => String(value)).filter((type) => !type.endsWith('*'))
  return new Set(all.filter((type) => wanted.includes(type) || wanted.includes('*') || wanted.includes(`${type.split('.')[0]}.*`)))
}

/** The newest change that is announced and fits; its Number is the place of its event in the order of the workspace. */
async function newest(context: IPollFunctions, filters: IDataObject): Promise<number | undefined> {
  const { body } = await call(context, 'get_many_changes', { Filters: { Number: { gt: 0 }, ...filters }, OrderBy: 'Number desc', Limit: 1, Select: ['Number'] })
  const [change] = body.Records as { Number: number }[]
  return change?.Number
}

/** Where to begin: now, at a time, or with the oldest event that is kept. */
async function beginning(context: IPollFunctions): Promise<string> {
  const from = context.getNodeParameter('startFrom', 'now')
  if (from === 'oldest') return OLDEST
  const at = from === 'date' ? valueAs('timestamp', context.getNodeParameter('startDate', ''), context.getTimezone()) : undefined
  return String((await newest(context, at ? { At: { lt: at } } : {})) ?? OLDEST)
}

/** What has happened since the last time, and is handed over now; the cursor has moved past it. */
export async function eventsSince(context: IPollFunctions): Promise<IDataObject[]> {
  const state = context.getWorkflowStaticData('node') as State
  const start = JSON.stringify([context.getNodeParameter('startFrom', 'now'), context.getNodeParameter('startDate', '')])
  let cursor = state.start === start ? state.cursor : undefined
  cursor ??= await beginning(context)
  const events: IDataObject[] = []
  const types = chosen(context)
  const until = Date.now() + (context.getPollBudgetMs?.() ?? Number.POSITIVE_INFINITY) / 2
  for (let page = 0; page < PAGES && Date.now() < until; page++) {
    const { Events, NextCursor } = await pageAfter(context, state, start, cursor)
    events.push(...Events.filter(({ Type }) => types.has(String(Type))))
    if (NextCursor === cursor) break
    cursor = NextCursor
  }
  // Only now, when nothing can fail any more: a poll that fails is repeated from where it began.
  state.start = start
  state.cursor = cursor
  return events
}

async function pageAfter(context: IPollFunctions, state: State, start: string, After: string): Promise<{ Events: IDataObject[]; NextCursor: string }> {
  const { body } = await call(context, 'get_many_events', { After, Limit: PAGE }).catch((error: unknown) => {
    const cause = error instanceof Refusal && error.problem.errors?.some(({ field }) => field === 'After') ? error.problem : undefined
    // Events that are no longer kept cannot be had. That is said once, and the next poll goes on with the oldest there is.
    if (cause?.code === 'not_found') Object.assign(state, { start, cursor: OLDEST })
    if (cause?.code === 'invalid_input') throw new Refusal({ ...cause, ...AHEAD })
    throw error
  })
  return body as unknown as { Events: IDataObject[]; NextCursor: string }
}

/** The newest event of those chosen, for whoever sets up the workflow. Nothing is remembered. */
export async function sample(context: IPollFunctions): Promise<IDataObject[]> {
  const number = await newest(context, { EventType: { in: [...chosen(context)] } })
  if (number === undefined) return []
  const { body } = await call(context, 'get_many_events', { After: String(number - 1), Limit: 1 })
  return body.Events as IDataObject[]
}
