import { isUser } from '../grid/cell.tsx'
import { CopyButton } from '../parts/code.tsx'
import { Card } from '../parts/page.tsx'
import type { DescribedField } from '../session/session.ts'
import { EditableValue } from './editable-value.tsx'
import { FieldMenu } from './field-menu.tsx'
import type { RecordSchema, Row } from './record-schema.ts'

interface Props {
  readonly schema: RecordSchema
  readonly row: Row
  readonly onChanged: () => void
}

const STAMPS: readonly string[] = ['CreatedDate', 'UpdatedDate', 'Revision']

/** Ids, and what the service keeps of a record. */
export const isDetail = (schema: RecordSchema, field: DescribedField): boolean =>
  STAMPS.includes(field.Name) || (field.Type === 'id' && !isUser(field) && !schema.references.some((one) => one.field === field.Name))

/** The fields of a record, edited in place. Its details are folded away. */
export function RecordFields({ schema, row, onChanged }: Props) {
  const line = (field: DescribedField) => (
    <div key={field.Name} className={field.Type === 'longText' ? 'record-long' : undefined}>
      <dt>
        {field.Label} <FieldMenu schema={schema} field={field} row={row} />
      </dt>
      <dd>
        <EditableValue schema={schema} field={field} row={row} onChanged={onChanged} />
        {isDetail(schema, field) && field.Type === 'id' && typeof row[field.Name] === 'string' && (
          <CopyButton text={String(row[field.Name])} label={`Copy ${field.Label}`} />
        )}
      </dd>
    </div>
  )
  const details = schema.fields.filter((field) => isDetail(schema, field))
  return (
    <Card title={schema.objectName ?? schema.recordType}>
      <dl className="record-fields">{schema.fields.filter((field) => !details.includes(field)).map(line)}</dl>
      {details.length > 0 && (
        <details className="record-details">
          <summary>Details</summary>
          <dl className="record-fields">{details.map(line)}</dl>
        </details>
      )}
    </Card>
  )
}
