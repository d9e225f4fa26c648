import { isDetail } from './record-fields.tsx'
import { commonOf, type RecordSchema, type Row } from './record-schema.ts'
import { RecordValue } from './record-value.tsx'

const SHOWN = 5

/** What one looks at a record for: the first of its common fields that have a value. */
export function KeyFacts({ schema, row }: { readonly schema: RecordSchema; readonly row: Row }) {
  const facts = commonOf(schema)
    .flatMap((name) => schema.fields.filter(({ Name }) => Name === name))
    .filter(({ Name, Type }) => ![...schema.titles, schema.state].includes(Name) && Type !== 'longText' && Type !== 'json')
    .filter((field) => !isDetail(schema, field) && (row[field.Name] ?? '') !== '')
    .slice(0, SHOWN)
  if (facts.length === 0) return null
  return (
    <dl className="record-facts" aria-label="Key facts">
      {facts.map((field) => (
        <div key={field.Name}>
          <dt>{field.Label}</dt>
          <dd>
            <RecordValue schema={schema} field={field} row={row} linked={false} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
