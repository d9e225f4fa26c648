import { columnOf, type FileRow, type ImportPlan, type RejectedRow } from 'crm-connector/files'
import { useId, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { saveFile } from '../parts/save-file.ts'
import { Table } from '../parts/table.tsx'
import { numberText } from '../parts/values.tsx'
import { cellText, columnsToCorrect, isCorrectable, readable, withText } from './correction.ts'
import type { Rejects } from './rejects.ts'

interface Props {
  readonly rejects: Rejects
  readonly plan: ImportPlan
  readonly delimiter: string | undefined
  /** Rows as they were corrected, by their lines. */
  readonly corrected: ReadonlyMap<number, FileRow>
  /** What trying the rows again does. */
  readonly verb: 'Check' | 'Import'
  readonly onCorrect: (row: FileRow) => void
  readonly onAgain: () => void
}

/** Rows of a page of the table: each has an input for each column. */
const PAGE = 100

/** Rejected rows in a table, page by page, where they are corrected: all that is wrong with a row stands over its cells. */
export function RejectTable({ rejects, plan, delimiter, corrected, verb, onCorrect, onAgain }: Props) {
  const id = useId()
  const [from, setFrom] = useState(0)
  const { first, count } = rejects
  const begin = from < first.length ? from : 0
  const shown = first.slice(begin, begin + PAGE)
  const columns = columnsToCorrect(plan, first)
  const correctedOf = (row: FileRow) => corrected.get(row.line) ?? readable(row, delimiter)
  /** Whether a row with the wrong number of cells is imported as it is shown. */
  const isAccepted = ({ fault, line }: FileRow) => fault !== undefined && corrected.has(line)
  const faultId = (row: FileRow, nth: number) => `${id}-${row.line}-${nth}`
  const again = first.length === 1 ? 'this row' : `these ${numberText(first.length)} rows`
  return (
    <form
      className="files-rejects"
      aria-label="Rejected rows"
      onSubmit={(event) => {
        event.preventDefault()
        onAgain()
      }}
    >
      <header>
        <h3>Rejected rows</h3>
        <Button
          small
          icon="download"
          onClick={() => {
            const { blob, name } = rejects.file(first.map((one) => ({ ...one, row: corrected.get(one.row.line) ?? one.row })))
            saveFile(name, blob)
          }}
        >
          Download
        </Button>
      </header>
      <Table
        label="Rejected rows to correct"
        rows={shown}
        keyOf={({ row }) => String(row.line)}
        above={({ row, faults }) => (
          <div className="files-reject-line">
            <span className="files-line">Line {row.line}</span>
            {faults.map(
              (fault, i) =>
                !(isAccepted(row) && columnOf(plan, fault) === undefined) && (
                  <small key={`${fault.field} ${fault.message}`} id={faultId(row, i)} className="files-wrong">
                    {fault.message}
                  </small>
                ),
            )}
            {row.fault !== undefined && !isAccepted(row) && isCorrectable(row, columns) && (
              <Button small onClick={() => onCorrect(readable(row, delimiter))}>
                Import it as shown
              </Button>
            )}
          </div>
        )}
        columns={columns.map((column) => ({
          title: column,
          cell: ({ row, faults }: RejectedRow) => {
            const wrong = faults.flatMap((fault, i) => (columnOf(plan, fault) === column ? [faultId(row, i)] : []))
            return (
              isCorrectable(row, columns) && (
                <input
                  className="input"
                  aria-label={`${column}, line ${row.line}`}
                  aria-invalid={wrong.length > 0}
                  aria-describedby={wrong.join(' ') || undefined}
                  autoComplete="off"
                  // It keeps its own text, so that a large table is not rendered for each letter.
                  defaultValue={cellText(correctedOf(row), column)}
                  onChange={(event) => onCorrect(withText(correctedOf(row), column, event.target.value))}
                />
              )
            )
          },
        }))}
      />
      {first.length > PAGE && (
        <nav className="files-pages" aria-label="Pages of rejected rows">
          <Button small disabled={begin === 0} onClick={() => setFrom(begin - PAGE)}>
            Previous
          </Button>
          <span className="soft" role="status">{`Rows ${numberText(begin + 1)} to ${numberText(begin + shown.length)} of ${numberText(first.length)}`}</span>
          <Button small disabled={begin + PAGE >= first.length} onClick={() => setFrom(begin + PAGE)}>
            Next
          </Button>
        </nav>
      )}
      <div className="files-again">
        <Button type="submit">{`${verb} ${again} again`}</Button>
        <span className="soft">Rows that were imported are not imported twice.</span>
      </div>
      <p className="soft files-note">
        {count > first.length && `${numberText(count - first.length)} more rows are too many for this page: download the file, which has all of them. `}
        The file has the same columns, and the line and the error at the end. Correct it, and import it as it is.
      </p>
    </form>
  )
}
