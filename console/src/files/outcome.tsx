import { type FileRow, type Findings, LOOKED_UP, tellingFields } from 'crm-connector/files'
import { useEffect, useRef } from 'react'
import { Button } from '../parts/button.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import type { ChosenFile } from './choices.ts'
import { CorrectionNotes } from './correction-notes.tsx'
import type { Corrections } from './corrections.ts'
import type { Done } from './importing.ts'
import { areAllowed } from './new-values.ts'
import { NewValuesForm } from './new-values-form.tsx'
import { RejectTable } from './reject-table.tsx'

interface Props {
  readonly stage: Done
  readonly chosen: ChosenFile
  readonly what: string
  readonly onAgain: () => void
  /** Checks the file once more, with the records that have the same values updated. */
  readonly onMatch: () => void
  readonly corrections: Corrections
  /** Rejected rows that were corrected, and not checked yet. */
  readonly waiting: number
  readonly onCorrect: (row: FileRow) => void
  /** The values that may be imported although no record has them yet. */
  readonly allowed: ReadonlySet<string>
  readonly onAllow: (values: Findings['newValues'], allowed: boolean) => void
  /** Checks the file once more, with these values of a field written as others, or as they are in the file. */
  readonly onReplace: (field: string, instead: ReadonlyMap<string, string | undefined>) => void
}

const count = (n: number) => `${numberText(n)} ${n === 1 ? 'row' : 'rows'}`

/** The result of a check or an import: counts, and every rejected row with its error. */
export function Outcome({ stage, chosen, what, corrections, waiting, allowed, onCorrect, onAllow, onAgain, onMatch, onReplace }: Props) {
  const { created, updated, known, rejects, stopped, fault, findings } = stage
  const isChecked = stage.at === 'checked'
  const matching = chosen.matchBy !== undefined
  const counts = useRef<HTMLDListElement>(null)
  // The button that had the focus is gone.
  useEffect(() => counts.current?.focus(), [])
  const good: readonly (readonly [label: string, count: number])[] = matching
    ? [
        [isChecked ? 'will be created' : 'created', created],
        [isChecked ? 'will be updated' : 'updated', updated],
      ]
    : [[isChecked ? 'can be imported' : 'imported', created]]
  return (
    <>
      <dl className="files-counts" ref={counts} tabIndex={-1}>
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
          <dt>{isChecked ? 'cannot be imported' : 'rejected'}</dt>
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
      {isChecked && (
        <CorrectionNotes
          corrections={corrections}
          waiting={waiting}
          plan={chosen.plan}
          onRestore={(field, value) => onReplace(field, new Map([[value, undefined]]))}
        />
      )}
      {isChecked && findings.newValues.length > 0 && (
        <NewValuesForm
          found={findings.newValues}
          allowed={areAllowed(findings.newValues, allowed)}
          onAllow={(isAllowed) => onAllow(findings.newValues, isAllowed)}
          onReplace={onReplace}
        />
      )}
      {isChecked && <Sameness stage={stage} chosen={chosen} onMatch={onMatch} />}
      {rejects.first.length > 0 && (
        <RejectTable
          rejects={rejects}
          plan={chosen.plan}
          delimiter={chosen.file.delimiter}
          corrected={corrections.rows}
          verb={isChecked ? 'Check' : 'Import'}
          onCorrect={onCorrect}
          onAgain={onAgain}
        />
      )}
    </>
  )
}

function plannedText(created: number, updated: number, what: string): string {
  const parts = [created > 0 ? `${count(created)} will be added to the ${what}` : '', updated > 0 ? `${count(updated)} will update what is there` : '']
  return parts.filter(Boolean).join(', and ')
}

/** How many rows are about the same record, and the offer to update the records that are there. */
function Sameness({ stage: { repeats, created, findings }, chosen: { plan, matchBy }, onMatch }: Pick<Props, 'stage' | 'chosen' | 'onMatch'>) {
  const fields = tellingFields(plan)
  const labels = fields.map((name) => plan.target.fields.find((field) => field.name === name)?.label ?? name).join(' and ')
  const { existing } = findings
  const repeated = repeats.count
  if (existing + repeated === 0) return null
  return (
    <div className="files-same">
      {existing > 0 && (
        <p className="files-note">
          {`${count(existing)} ${existing === 1 ? 'has' : 'have'} the ${labels} of a record that is there already, and would become ${existing === 1 ? 'a second one' : 'second ones'}.`}
          {created > LOOKED_UP && ` The first ${numberText(LOOKED_UP)} rows were looked for.`}
        </p>
      )}
      {repeated > 0 && (
        <p className="files-note">
          {`${count(repeated)} of the file ${repeated === 1 ? 'has' : 'have'} the same ${labels} as an earlier one${matchBy ? ', and will update the same record' : ''}.`}
        </p>
      )}
      {!matchBy && plan.upserting && (
        <>
          <p className="files-note">{`To change the records that are there instead: a row updates the record that has its ${labels}; where none has, it creates one.`}</p>
          <Button small kind={existing > 0 ? 'primary' : 'plain'} onClick={onMatch}>{`Update records with the same ${labels}`}</Button>
        </>
      )}
    </div>
  )
}
