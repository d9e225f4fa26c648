import { OPERATIONS, type Operation } from 'crm-connector/contract'

export interface OperationGroup {
  readonly title: string
  readonly operations: readonly Operation[]
}

/** `customObjects` becomes `Custom objects`. */
function words(name: string): string {
  const spaced = name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const ALL: readonly Operation[] = OPERATIONS

/** The operations by record type, as in the reference. */
export const GROUPS: readonly OperationGroup[] = [...new Set(ALL.map(({ record }) => record.plural))].map((plural) => ({
  title: words(plural),
  operations: ALL.filter(({ record }) => record.plural === plural),
}))

/** Whether the texts of an operation contain all typed words. */
export function matches({ id, name, method, summary }: Operation, typed: string): boolean {
  const text = `${id} ${name} ${method} ${summary}`.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}
