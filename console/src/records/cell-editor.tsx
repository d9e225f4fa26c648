import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { revisedAfterOwnWrites } from '../data/own-revisions.ts'
import { drawnCell } from '../grid/row.tsx'
import type { RowPages } from '../grid/row-pages.ts'
import { Floating } from '../parts/floating.tsx'
import type { DescribedField } from '../session/session.ts'
import { InlineEditor, type Leave } from './inline-editor.tsx'
import type { RecordSchema, Row } from './record-schema.ts'
import './cell-editor.css'

interface Table {
  readonly schema: RecordSchema
  readonly rows: Pick<RowPages<Row>, 'indexOf'>
  readonly columns: readonly string[]
  readonly onWritten: () => void
}

/**
 * Edits one cell of a table at a time, in its place, wherever its record moves. A cell is left by opening another one, or when its record
 * leaves the table: what was typed is saved, or stays with the reason why it was not.
 */
export function useCellEditor(table: Table): { readonly edit: (row: Row, field: DescribedField) => void; readonly editor: ReactNode } {
  const { schema, rows } = table
  const [edited, setEdited] = useState<EditedCell>()
  const leave = useRef<Leave>(null)
  const isGone = edited !== undefined && rows.indexOf((row) => row[schema.id] === edited.row[schema.id]) < 0
  useEffect(() => {
    if (isGone) void leave.current?.()
  }, [isGone])
  const edit = async (row: Row, field: DescribedField) => {
    if (leave.current && !(await leave.current())) return
    setEdited({ row: revisedAfterOwnWrites(String(row[schema.id]), row), field })
  }
  const editor = edited && (
    <CellEditor key={`${edited.row[schema.id]} ${edited.field.Name}`} {...table} edited={edited} leave={leave} onClose={() => setEdited(undefined)} />
  )
  return { edit: (row, field) => void edit(row, field), editor }
}

interface EditedCell {
  readonly row: Row
  readonly field: DescribedField
}

interface Props extends Table {
  readonly edited: EditedCell
  readonly leave: React.Ref<Leave>
  readonly onClose: () => void
}

function CellEditor({ schema, columns, edited: { row, field }, leave, onClose, onWritten }: Props) {
  const [id, column] = [String(row[schema.id]), columns.indexOf(field.Name)]
  const cell = useMemo(
    () => ({
      get current() {
        return drawnCell(id, column)
      },
    }),
    [id, column],
  )
  const close = () => {
    onClose()
    document.querySelector<HTMLElement>('[role="grid"]')?.focus({ preventScroll: true })
  }
  return (
    <Floating anchor={cell} over className="cell-editor">
      <InlineEditor
        leave={leave}
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
