import { OPERATIONS, type Operation } from 'crm-connector/contract'

export interface OperationGroup {
  readonly title: string
  readonly operations: readonly Operation[]
}

/** `customObjects` as a person reads it: `Custom objects`. */
function words(name: string): string {
  const spaced = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const ALL: readonly Operation[] = OPERATIONS

/** The operations by what they are about, as the reference has them. */
export const GROUPS: readonly OperationGroup[] = [...new Set(ALL.map(({ record }) => record.plural))].map((plural) => ({
  title: words(plural),
  operations: ALL.filter(({ record }) => record.plural === plural),
}))

/** Whether all words that were typed are somewhere in what is known of an operation. */
export function matches({ id, name, method, summary }: Operation, typed: string): boolean {
  const text = `${id} ${name} ${method} ${summary}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
