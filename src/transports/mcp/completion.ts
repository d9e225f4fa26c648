import type { CompleteResult } from '@modelcontextprotocol/server'
import { describe } from '../../contract/describe.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import type { RecordType } from '../../contract/record.ts'
import { User } from '../../contract/records/user.ts'
import { SEARCHED_TYPES, search } from '../../contract/search.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Session } from './backend.ts'
import { offeredTools } from './tool-filter.ts'
import type { Members } from './truncate.ts'

export type Completion = CompleteResult['completion']

/** How many values are proposed at once; more are not allowed by the protocol. */
const MAX_VALUES = 100
/** How many records are proposed at once. */
const MAX_RECORDS = 20

/** The values that begin with what was typed. */
export function completeFrom(values: readonly string[], typed: string): Completion {
  const fitting = values.filter((value) => value.toLowerCase().startsWith(typed.toLowerCase()))
  return { values: fitting.slice(0, MAX_VALUES), total: fitting.length, hasMore: fitting.length > MAX_VALUES }
}

async function mayCall({ backend, filter }: Session, id: string): Promise<boolean> {
  return offeredTools(await backend.access(), filter).some((operation) => operation.id === id)
}

const recordsOf = (answer: unknown) => (isObject(answer) && Array.isArray(answer.Records) ? (answer.Records as Members[]) : [])

/** The ids of records by what was typed: words in them, a part of their name, or the beginning of the id; the newest where nothing was. */
export async function completeId(session: Session, type: RecordType, typed: string): Promise<Completion> {
  const getMany = OPERATIONS.find((operation) => operation.verb === 'getMany' && operation.record.name === type.name)
  const idsOf = (records: readonly Members[]) => records.map((record) => String(record[type.id]))
  const list = async (Filters?: object) =>
    getMany && (await mayCall(session, getMany.id))
      ? idsOf(recordsOf(await session.backend.call(getMany.id, { Limit: MAX_RECORDS, ...(Filters && { Filters }) }).catch(() => undefined)))
      : []
  const find = async () => {
    if (type.name === User.name) return list({ any: [{ Name: { contains: typed } }, { Email: { contains: typed } }] })
    if (!SEARCHED_TYPES.includes(type.name)) return list({ [type.names[0] ?? type.id]: { contains: typed } })
    if (!(await mayCall(session, search.id))) return []
    const answer = await session.backend.call(search.id, { Text: typed, RecordTypes: [type.name], Limit: MAX_RECORDS }).catch(() => undefined)
    return idsOf(recordsOf(answer).map(({ Record }) => Record as Members))
  }
  const ids = typed.trim() === '' ? await list() : [...(await list({ [type.id]: { startsWith: typed } })), ...(await find())]
  return { values: [...new Set(ids)] }
}

/** The known values of a field that begin with what was typed. */
export async function completeChoice(session: Session, RecordType: string, field: string, typed: string): Promise<Completion> {
  if (!(await mayCall(session, describe.id))) return { values: [] }
  const { RecordTypes } = (await session.backend.call(describe.id, { RecordType })) as {
    RecordTypes: readonly { Fields: readonly { Name: string; AllowedValues: string[] | null; SuggestedValues: string[] | null }[] }[]
  }
  const described = RecordTypes[0]?.Fields.find(({ Name }) => Name === field)
  return completeFrom(described?.AllowedValues ?? described?.SuggestedValues ?? [], typed)
}
