import { recordType as contractOf } from 'crm-connector/contract'
import { type FileRow, WrongEncoding } from 'crm-connector/files'
import { useEffect, useId, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Progress } from '../parts/progress.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { type ChosenFile, obstacles, openChosen, toRemember, withMatching } from './choices.ts'
import { Choose } from './choose.tsx'
import { CorrectionNotes } from './correction-notes.tsx'
import { noCorrections, waitingRows, withValues } from './corrections.ts'
import { useImport } from './importing.ts'
import { MappingForm } from './mapping-form.tsx'
import { mappingMemory } from './mapping-memory.ts'
import { areAllowed, withAllowed } from './new-values.ts'
import { Outcome } from './outcome.tsx'
import './files.css'

interface Props {
  readonly recordType: string
  readonly objectName?: string
  readonly onClose: () => void
  /** Called when records were created or updated. */
  readonly onDone: () => void
}

/** Imports a file in four steps: choose it, map its columns, check all rows, import. */
export function ImportDialog({ recordType, objectName, onClose, onDone }: Props) {
  const { crm, me, may } = useSession()
  const id = useId()
  const [file, setFile] = useState<File>()
  const [chosen, setChosen] = useState<ChosenFile>()
  const [fault, setFault] = useState<unknown>()
  const { stage, check, run, again, stop, stopping, back } = useImport()
  const [corrections, setCorrections] = useState(noCorrections)
  const [allowed, setAllowed] = useState<ReadonlySet<string>>(new Set())
  const memory = mappingMemory(me.Workspace, objectName ?? recordType)
  const what = objectName === undefined ? contractOf(recordType).plural : `${objectName} records`

  // Leaving the page stops the import.
  useEffect(() => stop, [stop])

  const choose = async (picked: File, encoding?: string) => {
    setFile(picked)
    setFault(undefined)
    setCorrections(noCorrections())
    setAllowed(new Set())
    try {
      setChosen(await openChosen(crm, picked, { type: recordType, objectName, may, memory }, encoding))
    } catch (error) {
      setChosen(undefined)
      setFault(error)
    }
  }
  const running = stage.at === 'checking' || stage.at === 'importing'
  const good = stage.at === 'checked' ? stage.created + stage.updated : 0
  const hindrance = stage.at !== 'checked' ? undefined : hindranceOf(good, areAllowed(stage.findings.newValues, allowed))
  const blocked = chosen ? obstacles(chosen.plan) : []
  const countWaiting = () => (chosen && 'rejects' in stage ? waitingRows(stage.rejects.first, chosen.plan, corrections) : 0)
  const waiting = countWaiting()
  const correct = (row: FileRow) => {
    corrections.rows.set(row.line, row)
    if (countWaiting() !== waiting) setCorrections({ ...corrections })
  }
  const tryAgain = async () => {
    if (!chosen || !('rejects' in stage)) return
    await again({ ...chosen, corrections }, stage)
    if (stage.at === 'imported') onDone()
  }

  const stopButton = (
    <Button busy={stopping} onClick={stop}>
      {stopping ? 'Stopping …' : 'Stop'}
    </Button>
  )
  const footers = {
    choosing: (
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="primary"
          disabled={!chosen || blocked.length > 0}
          onClick={() => {
            if (chosen) void check({ ...chosen, corrections })
          }}
        >
          Check all rows
        </Button>
      </>
    ),
    checking: stopButton,
    importing: stopButton,
    checked: (
      <>
        {waiting === 0 && hindrance !== undefined && (
          <span id={id} className="soft files-hindrance">
            {hindrance}
          </span>
        )}
        <Button onClick={back}>Back</Button>
        {stage.at === 'checked' && waiting > 0 && (
          <Button key="check" kind="primary" onClick={() => void tryAgain()}>
            {`Check ${numberText(waiting)} corrected ${waiting === 1 ? 'row' : 'rows'}`}
          </Button>
        )}
        {stage.at === 'checked' && waiting === 0 && (
          <Button
            key="import"
            kind="primary"
            icon="upload"
            disabled={hindrance !== undefined}
            aria-describedby={hindrance && id}
            onClick={async () => {
              if (!chosen) return
              memory.remember(chosen.prepared.columns, toRemember(chosen))
              await run({ ...chosen, corrections }, stage)
              onDone()
            }}
          >
            {`Import ${numberText(good)} ${good === 1 ? 'row' : 'rows'}`}
          </Button>
        )}
      </>
    ),
    imported: (
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    ),
  }

  return (
    <Dialog title={`Import ${what}`} wide onClose={running ? stop : onClose} footer={footers[stage.at]}>
      {stage.at === 'choosing' && (
        <>
          <Choose file={file} onChoose={(picked) => void choose(picked)} />
          {fault !== undefined && <RefusalLine error={fault} />}
          {fault instanceof WrongEncoding && file && (
            <div>
              <Button onClick={() => void choose(file, 'windows-1252')}>Read it as Windows-1252</Button>
            </div>
          )}
          {chosen && <CorrectionNotes corrections={corrections} plan={chosen.plan} />}
          {chosen && <MappingForm chosen={chosen} obstacles={blocked} onChange={setChosen} />}
        </>
      )}
      {(stage.at === 'checking' || stage.at === 'importing') && (
        <>
          <Progress label={stage.at === 'checking' ? 'Checked rows' : 'Imported rows'} reached={stage.reached} />
          <p className="soft files-note">
            {stage.at === 'checking'
              ? 'Nothing is written yet.'
              : 'What is imported stays when you stop, and is not imported twice when you import the same file again.'}
          </p>
        </>
      )}
      {(stage.at === 'checked' || stage.at === 'imported') && chosen && (
        <Outcome
          stage={stage}
          chosen={chosen}
          what={what}
          corrections={corrections}
          allowed={allowed}
          onAllow={(values, isAllowed) => setAllowed(withAllowed(allowed, values, isAllowed))}
          waiting={waiting}
          onCorrect={correct}
          onAgain={() => void tryAgain()}
          onMatch={() => {
            const matching = withMatching(chosen, true)
            setChosen(matching)
            void check({ ...matching, corrections })
          }}
          onReplace={(field, instead) => {
            const further = withValues(corrections, field, instead)
            setCorrections(further)
            void check({ ...chosen, corrections: further })
          }}
        />
      )}
    </Dialog>
  )
}

/** Why rows that were checked cannot be imported. */
function hindranceOf(good: number, areValuesAllowed: boolean): string | undefined {
  if (good === 0) return 'There is nothing to import.'
  return areValuesAllowed ? undefined : 'Change the new values first, or allow them.'
}
