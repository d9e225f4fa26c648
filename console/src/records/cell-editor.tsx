import type { RefObject } from 'react'
import { Floating } from '../parts/floating.tsx'
import type { DescribedField } from '../session/session.ts'
import { InlineEditor } from './inline-editor.tsx'
import type { RecordSchema, Row } from './record-schema.ts'
import './cell-editor.css'

export interface EditedCell {
  readonly row: Row
  readonly field: DescribedField
  readonly cell: RefObject<HTMLElement>
}

interface Props {
  readonly schema: RecordSchema
  readonly edited: EditedCell
  readonly onClose: () => void
  readonly onWritten: () => void
}

/** Edits a cell of the table in its place, which has the focus again afterwards. */
export function CellEditor({ schema, edited: { row, field, cell }, onClose, onWritten }: Props) {
  const grid = cell.current.closest<HTMLElement>('[role="grid"]')
  const close = () => {
    onClose()
    grid?.focus({ preventScroll: true })
  }
  return (
    <Floating anchor={cell} over className="cell-editor">
      <InlineEditor
        schema={schema}
        field={field}
        row={row}
        onClose={close}
        onDone={() => {
          close()
          onWritten()
        }}
        onUndone={onWritten}
      />
    </Floating>
  )
}
