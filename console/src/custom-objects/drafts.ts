import type { CustomType, FieldDraft } from 'crm-connector/contract'

export interface NewField {
  readonly key: number
  readonly label: string
  /** Derived from the label until one is typed. */
  readonly name: string | undefined
  readonly type: CustomType
  readonly value: unknown
}

let next = 0

export const newField = (): NewField => ({ key: next++, label: '', name: undefined, type: 'String', value: undefined })

/** `Hull length` is called `HullLength` and `1st field` is `Field1st`: letters, digits and underscores, a letter first. */
export function nameFor(label: string): string {
  const words = label
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_\s-]/g, '')
    .split(/[\s-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .filter((word) => word !== '')
  if (words.length === 0) return ''
  const first = words.findIndex((word) => /^[A-Za-z]/.test(word))
  return (first < 0 ? ['Field', ...words] : [...words.slice(first), ...words.slice(0, first)]).join('').slice(0, 80)
}

export const nameOfField = ({ name, label }: NewField): string => name ?? nameFor(label)

/** The `Fields` input of Create Custom Object, without empty lines. */
export function draftsOf(fields: readonly NewField[]): { [name: string]: FieldDraft } {
  return Object.fromEntries(
    fields
      .filter((field) => nameOfField(field) !== '' || field.label !== '')
      .map((field) => {
        const { label, type, value } = field
        return [nameOfField(field), { Type: type, Label: label, ...(value !== undefined && { Value: value as string }) }]
      }),
  )
}
