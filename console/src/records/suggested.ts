import { useMemo } from 'react'
import { useAnswer } from '../data/answer.ts'
import { type DescribedField, useSession } from '../session/session.ts'
import { summaryOf } from './calls.ts'
import type { RecordSchema } from './record-schema.ts'

/** The fields, with the values in use suggested for the status or stage field: after those of the contract, in an order that new records do not change. */
export function useSuggested(schema: RecordSchema, fields: readonly DescribedField[]): readonly DescribedField[] {
  const { crm } = useSession()
  const open = fields.some(({ Name, AllowedValues }) => Name === schema.state && !AllowedValues)
  const { answer } = useAnswer(async (signal) => (open ? statesIn(await summaryOf(crm, schema, {}, { signal }), schema.state) : []), [crm, schema, open])
  return useMemo(
    () =>
      fields.map((field) =>
        field.Name === schema.state && !field.AllowedValues && answer
          ? { ...field, SuggestedValues: [...new Set([...(field.SuggestedValues ?? []), ...answer.toSorted()])] }
          : field,
      ),
    [fields, schema.state, answer],
  )
}

/** The values in a summary: `ByStatus: [{ Status, Count }]`. */
function statesIn(summary: { readonly [member: string]: unknown } | undefined, state: string | undefined): string[] {
  const groups = state === undefined ? undefined : summary?.[`By${state}`]
  if (!Array.isArray(groups)) return []
  return groups.map((group) => group[state as string]).filter((one) => typeof one === 'string')
}
