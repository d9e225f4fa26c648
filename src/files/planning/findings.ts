import type { Crm } from '../../contract/client/client.ts'
import { LIMITS } from '../../contract/limits.ts'
import type { Operation } from '../../contract/operation.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { unlessForbidden } from '../unless-forbidden.ts'
import type { ImportPlan } from './import-plan.ts'
import type { PlannedRow } from './planned-row.ts'
import { tellingFields } from './repeats.ts'

/** What is unusual in the rows that were checked, although each could be imported. */
export interface Findings {
  /** Rows with the value of a record that is there, in the field that tells records apart. Rows beyond `LOOKED_UP` are not looked for. */
  readonly existing: number
  /** Values of a choice that no record has and that nothing suggests: a new stage, or a typing error. */
  readonly newValues: readonly NewValues[]
}

export interface NewValues {
  readonly field: string
  readonly label: string
  readonly values: readonly string[]
  /** Values that are no new ones: those that are suggested, and those of the file that records have already. */
  readonly known: readonly string[]
}

export const NO_FINDINGS: Findings = { existing: 0, newValues: [] }

/** Rows whose records are looked for, so that the check of a large file does not use up the quota of a CRM. */
export const LOOKED_UP = 20_000

/** Values of a choice that are looked for in records; a column with more of them holds something else. */
const MOST_VALUES = 50

/** Each value is looked for as it is written and in lower case, as an upsert does. */
const AT_ONCE = LIMITS.list / 2

/** Gathers what is unusual in rows while they are checked. What the caller may not read, or the CRM cannot search by, is not looked for. */
export function gatherFindings(crm: Crm, plan: ImportPlan) {
  const { type } = plan.target
  const getMany = (OPERATIONS as readonly Operation[]).find(({ record, verb }) => record.name === type.name && verb === 'getMany')
  const described = plan.description.RecordTypes.find(({ Name }) => Name === type.name)?.Fields ?? []
  const isSearched = (name: string, operator: string) => described.some(({ Name, Operators }) => Name === name && Operators.includes(operator))
  const telling = plan.matchBy ? [] : tellingFields(plan).filter((name) => isSearched(name, 'in'))
  const choices = plan.mapping.columns.flatMap(({ field }) =>
    field?.kind === 'choice' && !field.isCustom && !plan.target.allowedValues.has(field.name) && isSearched(field.name, 'eq') ? [field] : [],
  )
  const used = new Map(choices.map(({ name }) => [name, new Set<string>()]))
  let [existing, lookedUp] = [0, 0]

  const recordsWith = async (Filters: object, Select: string, Limit: number) => {
    if (!getMany) return []
    const answer = await unlessForbidden(crm.call(getMany.id, { Filters, Select: [Select], Limit }))
    return ((answer as { Records?: readonly { readonly [field: string]: unknown }[] } | undefined)?.Records ?? []) as readonly {
      readonly [field: string]: unknown
    }[]
  }

  async function countExisting(field: string, rows: readonly PlannedRow[]): Promise<void> {
    const values = rows.map(({ input }) => input[field]).filter((value): value is string => typeof value === 'string' && value !== '')
    for (let at = 0; at < values.length; at += AT_ONCE) {
      const some = values.slice(at, at + AT_ONCE)
      const spelled = [...new Set(some.flatMap((value) => [value, value.toLowerCase()]))]
      const found = await recordsWith({ [field]: { in: spelled } }, field, LIMITS.page)
      const there = new Set(found.map((record) => String(record[field]).toLowerCase()))
      existing += some.filter((value) => there.has(value.toLowerCase())).length
    }
  }

  return {
    /** Rows that can be imported. */
    async add(rows: readonly PlannedRow[]): Promise<void> {
      for (const { input, changes } of rows)
        for (const [name, values] of used) {
          const value = changes?.[name] ?? input[name]
          if (typeof value === 'string' && value !== '' && values.size < MOST_VALUES) values.add(value)
        }
      const [field] = telling
      if (field === undefined || lookedUp >= LOOKED_UP) return
      lookedUp += rows.length
      await countExisting(field, rows)
    },
    async result(): Promise<Findings> {
      const newValues: NewValues[] = []
      for (const { name, label } of choices) {
        const suggested = described.find((field) => field.Name === name)?.SuggestedValues ?? []
        const [values, inUse]: [string[], string[]] = [[], []]
        for (const value of used.get(name) ?? []) {
          if (suggested.includes(value)) continue
          const isNew = (await recordsWith({ [name]: value }, name, 1)).length === 0
          ;(isNew ? values : inUse).push(value)
        }
        if (values.length > 0) newValues.push({ field: name, label, values, known: [...suggested, ...inUse] })
      }
      return { existing, newValues }
    },
  }
}

/** `Status has 2 new values: Opne, Pilot.` */
export const newValuesText = ({ label, values }: NewValues) =>
  `${label} has ${values.length} new ${values.length === 1 ? 'value' : 'values'}: ${values.join(', ')}.`
