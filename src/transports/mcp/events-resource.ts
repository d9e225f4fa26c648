import { ProtocolError, ProtocolErrorCode, type Resource, type ResourceTemplateType } from '@modelcontextprotocol/server'
import { getManyChanges } from '../../contract/records/change.ts'
import { getManyEvents } from '../../contract/records/event.ts'
import type { Session } from './backend.ts'
import { callTool } from './call-tool.ts'
import { DEFAULT_PAGE } from './compact-answer.ts'
import { offeredTools } from './tool-filter.ts'
import type { Members } from './truncate.ts'

export const EVENTS = 'crm://events'

const shared = { mimeType: 'application/json' }

const EVENTS_RESOURCE: Resource = {
  ...shared,
  uri: EVENTS,
  name: 'events',
  title: 'Events',
  description: 'What has happened to records of late. Subscribe to hear of more; NextCursor reads on.',
}

const EVENTS_TEMPLATE: ResourceTemplateType = {
  ...shared,
  uriTemplate: `${EVENTS}/{After}`,
  name: 'events-after',
  title: 'Events after a cursor',
  description: `What has happened since, as ${getManyEvents.id} answers: After is a NextCursor, an EventID or a ChangeID.`,
}

async function offersEvents({ backend, filter }: Session): Promise<boolean> {
  return offeredTools(await backend.access(), filter).some(({ id }) => id === getManyEvents.id)
}

export const listEvents = async (session: Session): Promise<Resource[]> => ((await offersEvents(session)) ? [EVENTS_RESOURCE] : [])
export const eventsTemplates = async (session: Session): Promise<ResourceTemplateType[]> => ((await offersEvents(session)) ? [EVENTS_TEMPLATE] : [])

/** A page of the events after the cursor in the address, or of the latest ones; undefined for any other address. */
export async function readEvents(session: Session, uri: string): Promise<Members | undefined> {
  const [isEvents, cursor] = /^crm:\/\/events(?:\/([\w-]+))?$/.exec(uri) ?? []
  if (isEvents === undefined || !(await offersEvents(session))) return undefined
  const After = cursor ?? (await cursorBefore(session, DEFAULT_PAGE))
  const { isError, structuredContent } = await callTool(session, getManyEvents, { After }, { canElicit: false })
  const answer = Object(structuredContent) as Members
  if (isError) throw new ProtocolError(ProtocolErrorCode.InvalidParams, String(answer.detail), { code: answer.code, hint: answer.hint })
  return answer
}

/** A cursor that so many of the latest changes which the caller may see come after; with 0 only what happens from now on. */
export async function cursorBefore({ backend }: Session, count: number): Promise<string> {
  const { call } = await backend.reading()
  const Filters = { Outcome: 'ok' }
  const { Records } = (await call(getManyChanges.id, { Filters, Select: ['ChangeID'], Limit: count + 1 })) as { readonly Records: readonly Members[] }
  return String(Records[count]?.ChangeID ?? OLDEST)
}

/** Before the first event, for every caller. */
const OLDEST = '0'
