import type { Operation } from '../../contract/operation.ts'
import { RECORD_TYPES } from '../../contract/operations.ts'
import type { WaitingPlan } from '../../contract/waiting-plan.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Members } from './truncate.ts'

/** What is put to the person who has to confirm a plan: what would go, a line a field. */
export function questionOf(operation: Operation, plan: WaitingPlan): string {
  const { WouldWrite, Difference } = plan.Preview
  const gone = Object.entries(isObject(Difference) ? Difference : {}).flatMap(([field, change]) => {
    const { From } = change as { From?: unknown }
    return From === null || From === undefined ? [] : [[field, From] as const]
  })
  const answer = isObject(WouldWrite) ? WouldWrite : {}
  const { what, said } = lossOf(operation, plan, answer, Object.fromEntries(gone))
  const fields = gone.filter(([field]) => !said.includes(field)).map(([field, value]) => `- ${field}: ${lineOf(value)}`)
  const subject = answer.UndoneChangeID ?? (said.length === 0 ? plan.RecordID : undefined)
  const asked = [operation.name, ...(subject === undefined ? [] : [subject])].join(' ')
  return [`${asked}?`, fields.length > 0 ? `${what}:` : `${what}.`, ...fields, `It can be confirmed until ${plan.ExpiresDate}.`].join('\n')
}

/** What would go, and the fields that this says already: the record itself, what hangs on it, or its place in another one. */
function lossOf(
  { summary, verb }: Operation,
  { RecordType, RecordID }: WaitingPlan,
  answer: Members,
  gone: Members,
): { what: string; said: readonly string[] } {
  const record = `the ${RecordType} ${RecordID}`
  if (verb === 'delete') return { what: summary.replace(/\.$/, ''), said: [] }
  if (answer.Record === null) return { what: `Removes ${record}`, said: [] }
  const other = RECORD_TYPES.find(({ name, id }) => name !== RecordType && Object.hasOwn(gone, id))
  if (!other) return { what: `Takes away from ${record}`, said: [] }
  const it = `the ${other.name} ${gone[other.id]}`
  return { what: other.hangsOn ? `Removes ${it} from ${record}` : `Takes ${record} out of ${it}`, said: [other.id] }
}

/** So much of a value is enough to know it by. */
const LONGEST = 120

function lineOf(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ')
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`
}
