import { Value } from '../grid/cell.tsx'
import { Words } from '../parts/words.tsx'
import { Link } from '../routing/link.tsx'
import type { DescribedField } from '../session/session.ts'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'

interface Props {
  readonly schema: RecordSchema
  readonly field: DescribedField
  readonly row: Row
  readonly long?: boolean
  /** Whether a reference leads to its record. Links hold no links. */
  readonly linked?: boolean
}

/** The value of a record's field: for a reference, the name of the record behind it. */
export function RecordValue({ schema, field, row, long = false, linked = true }: Props) {
  const value = row[field.Name]
  const reference = schema.references.find((one) => one.field === field.Name)
  if (!reference || typeof value !== 'string') return <Value field={field} value={value} long={long} />
  const included = row[reference.name] as Row | null | undefined
  // An event changes the reference of a row that is shown, and has no record behind it.
  const name = nameOf(reference, included?.[reference.id] === value ? included : { [reference.id]: value })
  const words = <Words>{name}</Words>
  return linked ? <Link to={[...reference.path, value]}>{words}</Link> : words
}

/** What `Include` is to name, for these fields. */
export const includeOf = (schema: RecordSchema, fields: readonly string[]): string[] =>
  schema.references.filter(({ field }) => fields.includes(field)).map(({ name }) => name)
