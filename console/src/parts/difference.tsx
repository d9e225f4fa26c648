import './difference.css'

type Image = { readonly [field: string]: unknown } | null | undefined

/** What changed between two images of a record, field by field. */
export function differenceOf(before: Image, after: Image): { readonly field: string; readonly from: unknown; readonly to: unknown }[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return fields
    .map((field) => ({ field, from: before?.[field], to: after?.[field] }))
    .filter(({ from, to }) => JSON.stringify(from ?? null) !== JSON.stringify(to ?? null))
}

/** A change as a person reads it: what was there, and what is there now. */
export function Difference({
  before,
  after,
  leave = ['Revision', 'UpdatedDate'],
}: {
  readonly before: Image
  readonly after: Image
  readonly leave?: readonly string[]
}) {
  const rows = differenceOf(before, after).filter(({ field }) => !leave.includes(field))
  if (rows.length === 0) return <p className="soft">Nothing changed.</p>
  return (
    <dl className="difference">
      {rows.map(({ field, from, to }) => (
        <div key={field}>
          <dt>{field}</dt>
          <dd>
            {from !== undefined && from !== null && <del>{textOf(from)}</del>} {to !== undefined && to !== null && <ins>{textOf(to)}</ins>}
            {(to === undefined || to === null) && from !== undefined && <span className="soft"> → nothing</span>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
