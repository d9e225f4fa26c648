import { Button } from '../parts/button.tsx'
import { saveFile } from '../parts/save-file.ts'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import type { Stage } from './importing.ts'
import type { Rejects } from './rejects.ts'

interface Props {
  readonly stage: Extract<Stage, { readonly at: 'checked' | 'imported' }>
  readonly what: string
  /** Whether rows update the records that match them. */
  readonly matching: boolean
}

const count = (n: number) => `${numberText(n)} ${n === 1 ? 'row' : 'rows'}`

/** The result of a check or an import: counts, and every rejected row with its error. */
export function Outcome({ stage, what, matching }: Props) {
  const { created, updated, known, rejects, stopped, fault } = stage
  const isChecked = stage.at === 'checked'
  const good: readonly (readonly [label: string, count: number])[] = matching
    ? [
        [isChecked ? 'will be created' : 'created', created],
        [isChecked ? 'will be updated' : 'updated', updated],
      ]
    : [[isChecked ? 'can be imported' : 'imported', created]]
  return (
    <>
      <dl className="files-counts">
        {good.map(([label, rows]) => (
          <div key={label} className="files-good">
            <dt>{label}</dt>
            <dd>{numberText(rows)}</dd>
          </div>
        ))}
        {known > 0 && (
          <div>
            <dt>imported before</dt>
            <dd>{numberText(known)}</dd>
          </div>
        )}
        <div className={rejects.count > 0 ? 'files-bad' : ''}>
          <dt>{isChecked ? 'cannot' : 'rejected'}</dt>
          <dd>{numberText(rejects.count)}</dd>
        </div>
      </dl>
      {fault !== undefined && <RefusalLine error={fault} />}
      {!isChecked && (stopped || fault !== undefined) && (
        <p className="files-note">The import was stopped. What was imported stays; import the same file again to go on from there.</p>
      )}
      {!isChecked && known > 0 && (
        <p className="files-note">{`${count(known)} of this file had been imported in the last day, and ${known === 1 ? 'was' : 'were'} not imported again.`}</p>
      )}
      {isChecked && created + updated > 0 && (
        <>
          <p className="files-note">{`${plannedText(created, updated, what)}${rejects.count === 0 ? '' : '; the others are left out'}. Nothing is written yet.`}</p>
          <p className="soft files-note">Rows of a file with this name that were imported in the last day are recognised, and not imported again.</p>
        </>
      )}
      {rejects.count > 0 && <RejectList rejects={rejects} />}
    </>
  )
}

function plannedText(created: number, updated: number, what: string): string {
  const parts = [created > 0 ? `${count(created)} will be added to the ${what}` : '', updated > 0 ? `${count(updated)} will update what is there` : '']
  return parts.filter(Boolean).join(', and ')
}

function RejectList({ rejects }: { readonly rejects: Rejects }) {
  return (
    <section className="files-rejects" aria-label="Rows that are wrong">
      <header>
        <h3>Rows that are wrong</h3>
        <Button
          small
          icon="download"
          onClick={() => {
            const { blob, name } = rejects.file()
            saveFile(name, blob)
          }}
        >
          Save them
        </Button>
      </header>
      <ol>
        {rejects.first.map(({ row, error }) => (
          <li key={row.line}>
            <span className="files-line">Line {row.line}</span> <span>{error}</span>
          </li>
        ))}
      </ol>
      {rejects.count > rejects.first.length && (
        <p className="soft files-note">{`… and ${count(rejects.count - rejects.first.length)} more, all in the file.`}</p>
      )}
      <p className="soft files-note">The file has the same columns, and the line and the error at the end. Correct it, and import it as it is.</p>
    </section>
  )
}
