import type { Operation } from '../../contract/operation.ts'
import { RECORD_TYPES } from '../../contract/operations.ts'
import type { WaitingPlan } from '../../contract/waiting-plan.ts'
import { isObject } from '../../helpers/is-object.ts'
import type { Members } from './truncate.ts'

/** The question to the person who has to confirm: what would be removed, one line for each field. */
export function questionOf(operation: Operation, plan: WaitingPlan): string {
  const { WouldWrite, Difference } = plan.Preview
  const gone = Object.entries(isObject(Difference) ? Difference : {}).flatMap(([field, change]) => {
    const { From } = change as { From?: unknown }
    return From === null || From === undefined ? [] : [[field, From] as const]
  })
  const answer = isObject(WouldWrite) ? WouldWrite : {}
  const { what, named } = lossOf(operation, plan, answer, Object.fromEntries(gone))
  const fields = gone.filter(([field]) => !named.includes(field)).map(([field, value]) => `- ${field}: ${lineOf(value)}`)
  const subject = answer.UndoneChangeID ?? (named.length === 0 ? plan.RecordID : undefined)
  const title = [operation.name, ...(subject === undefined ? [] : [subject])].join(' ')
  return [`${title}?`, fields.length > 0 ? `${what}:` : `${what}.`, ...fields, `It can be confirmed until ${plan.ExpiresDate}.`].join('\n')
}

/** What would be removed, and the fields that this sentence names already. */
function lossOf(
  { summary, verb }: Operation,
  { RecordType, RecordID }: WaitingPlan,
  answer: Members,
  gone: Members,
): { what: string; named: readonly string[] } {
  const record = `the ${RecordType} ${RecordID}`
  if (verb === 'delete') return { what: summary.replace(/\.$/, ''), named: [] }
  if (answer.Record === null) return { what: `Removes ${record}`, named: [] }
  const other = RECORD_TYPES.find(({ name, id }) => name !== RecordType && Object.hasOwn(gone, id))
  if (!other) return { what: `Takes away from ${record}`, named: [] }
  const it = `the ${other.name} ${gone[other.id]}`
  return { what: other.childOf ? `Removes ${it} from ${record}` : `Takes ${record} out of ${it}`, named: [other.id] }
}

const LONGEST = 120

function lineOf(value: unknown): string {
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(/\s+/g, ' ')
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`
}
