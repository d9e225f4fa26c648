import type { Condition } from '../filters/conditions.ts'
import type { DescribedField } from '../session/session.ts'
import type { Kind } from './kind.ts'

export interface Search {
  readonly fields: readonly DescribedField[]
  readonly field: string
  readonly text: string
  /** The one among the conditions that it is. */
  readonly condition: Condition | undefined
  /** The conditions with another text looked for. */
  applied(field: string, text: string): readonly Condition[]
}

const SEARCHED: readonly string[] = ['text', 'email', 'phone', 'longText']

/** What the search box looks in: the text fields, and first of all the one by which a record is best known. */
export function searchOf(kind: Kind, conditions: readonly Condition[], chosen: string | undefined): Search | undefined {
  const known = kind.fields.filter(({ Type, Operators }) => SEARCHED.includes(Type) && Operators.includes('contains'))
  // Of several parts of a name the last one tells most.
  const best = known.find(({ Name }) => Name === kind.titles.at(-1))
  const fields = best ? [best, ...known.filter((field) => field !== best)] : known
  const condition = conditions.find((one) => one.operator === 'contains' && typeof one.value === 'string' && fields.some(({ Name }) => Name === one.field))
  const field = condition?.field ?? fields.find(({ Name }) => Name === chosen)?.Name ?? fields[0]?.Name
  if (field === undefined) return undefined
  return {
    fields,
    field,
    text: typeof condition?.value === 'string' ? condition.value : '',
    condition,
    applied(by, text) {
      const rest = conditions.filter((one) => one !== condition && !(one.field === by && one.operator === 'contains'))
      return text.trim() === '' ? rest : [{ field: by, operator: 'contains', value: text }, ...rest]
    },
  }
}
