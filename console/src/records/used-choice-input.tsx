import { type ComponentProps, useState } from 'react'
import { ChoiceInput } from '../forms/choice-input.tsx'
import type { ValueKind } from '../forms/value-kind.ts'
import type { RecordSchema } from './record-schema.ts'
import { useUsedValues } from './used-values.ts'

interface Props extends Omit<ComponentProps<typeof ChoiceInput>, 'values' | 'maxLength'> {
  readonly schema: RecordSchema
  readonly kind: ValueKind
}

/** Picks one of the values of a choice: those it is offered with, and those in use, which are asked for when the input is first used. */
export function UsedChoiceInput({ schema, kind, ...input }: Props) {
  const [used, setUsed] = useState(false)
  // The summary has all values of the status or stage; `useSuggested` adds them.
  const isSummed = kind.Name === schema.state && schema.operation('getSummary') !== undefined
  const inUse = useUsedValues(schema, kind.Name, used && !isSummed)
  const values = [...new Set([...(kind.SuggestedValues ?? []), ...inUse])]
  return <ChoiceInput {...input} values={values} maxLength={kind.MaxLength ?? undefined} onFocus={() => setUsed(true)} />
}
