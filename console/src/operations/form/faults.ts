import type { Fault } from 'crm-connector'

/** What is wrong, by where: faults of `FieldsToUpdate.Email` are beneath `FieldsToUpdate`. */
export type Faults = readonly Fault[]

/** The faults of a member and of what is in it, as it sees them. */
export function faultsUnder(faults: Faults, name: string): Faults {
  return faults.flatMap((fault) => {
    if (fault.field === name) return [{ ...fault, field: '' }]
    return fault.field.startsWith(`${name}.`) ? [{ ...fault, field: fault.field.slice(name.length + 1) }] : []
  })
}

/** What is to be said of a value itself, and of everything in it that is not shown apart. */
export function faultText(faults: Faults, apart: readonly string[] = []): string | undefined {
  const shown = faults.filter(({ field }) => !apart.some((name) => field === name || field.startsWith(`${name}.`)))
  return shown.length === 0 ? undefined : shown.map(sentence).join(' ')
}

const sentence = ({ message, expected, didYouMean }: Fault) =>
  [message, expected && !message.includes(expected) && `Expected: ${expected}.`, didYouMean && `Did you mean ${didYouMean}?`].filter(Boolean).join(' ')
