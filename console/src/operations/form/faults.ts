import type { Fault } from 'crm-connector'

export type Faults = readonly Fault[]

/** The faults of a member and its own members, with paths relative to it. */
export function faultsUnder(faults: Faults, name: string): Faults {
  return faults.flatMap((fault) => {
    if (fault.field === name) return [{ ...fault, field: '' }]
    return fault.field.startsWith(`${name}.`) ? [{ ...fault, field: fault.field.slice(name.length + 1) }] : []
  })
}

/** The text of all faults except for those of members that show their own. */
export function faultText(faults: Faults, apart: readonly string[] = []): string | undefined {
  const shown = faults.filter(({ field }) => !apart.some((name) => field === name || field.startsWith(`${name}.`)))
  return shown.length === 0 ? undefined : shown.map(sentence).join(' ')
}

const sentence = ({ message, expected, didYouMean }: Fault) =>
  [message, expected && !message.includes(expected) && `Expected: ${expected}.`, didYouMean && `Did you mean ${didYouMean}?`].filter(Boolean).join(' ')
