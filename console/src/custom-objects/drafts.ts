import type { CustomType, FieldDraft } from 'crm-connector/contract'

export interface NewField {
  readonly key: number
  readonly label: string
  /** Derived from the label until one is typed. */
  readonly name: string | undefined
  readonly type: CustomType
  /** The only values of a choice, one per line. */
  readonly values: string
  readonly refersTo: string
  readonly value: unknown
}

let next = 0

export const newField = (): NewField => ({ key: next++, label: '', name: undefined, type: 'String', values: '', refersTo: 'Company', value: undefined })

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

/** The only values of a choice; undefined where any are accepted. */
export function valuesOf({ type, values }: NewField): string[] | undefined {
  const all = values.split('\n').flatMap((line) => line.trim() || [])
  return (type === 'Choice' || type === 'Choices') && all.length > 0 ? all : undefined
}

/** The `Fields` input of Create Custom Object, without empty lines. */
export function draftsOf(fields: readonly NewField[]): { [name: string]: FieldDraft } {
  return Object.fromEntries(
    fields
      .filter((field) => nameOfField(field) !== '' || field.label !== '')
      .map((field) => {
        const { label, type, refersTo, value } = field
        const Values = valuesOf(field)
        return [
          nameOfField(field),
          {
            Type: type,
            Label: label,
            ...(Values && { Values }),
            ...(type === 'Reference' && { RefersTo: refersTo }),
            ...(value !== undefined && { Value: value as string }),
          },
        ]
      }),
  )
}
