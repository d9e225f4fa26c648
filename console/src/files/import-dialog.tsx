import { recordType as contractOf } from 'crm-connector/contract'
import { WrongEncoding } from 'crm-connector/files'
import { useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { type ChosenFile, obstacles, openChosen } from './choices.ts'
import { Choose } from './choose.tsx'
import { useImport } from './importing.ts'
import { MappingForm } from './mapping-form.tsx'
import { Outcome } from './outcome.tsx'
import { Progress } from './progress.tsx'
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
  const { crm, may } = useSession()
  const [file, setFile] = useState<File>()
  const [chosen, setChosen] = useState<ChosenFile>()
  const [fault, setFault] = useState<unknown>()
  const { stage, check, run, stop, stopping, back } = useImport()
  const what = objectName === undefined ? contractOf(recordType).plural : `${objectName} records`

  // Leaving the page stops the import.
  useEffect(() => stop, [stop])

  const choose = async (picked: File, encoding?: string) => {
    setFile(picked)
    setFault(undefined)
    try {
      setChosen(await openChosen(crm, picked, { type: recordType, objectName, may }, encoding))
    } catch (error) {
      setChosen(undefined)
      setFault(error)
    }
  }
  const running = stage.at === 'checking' || stage.at === 'importing'
  const good = stage.at === 'checked' ? stage.created + stage.updated : 0
  const blocked = chosen ? obstacles(chosen.plan) : []

  const stopButton = (
    <Button busy={stopping} onClick={stop}>
      {stopping ? 'Stopping …' : 'Stop'}
    </Button>
  )
  const footers = {
    choosing: (
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={!chosen || blocked.length > 0} onClick={() => chosen && void check(chosen)}>
          Check all rows
        </Button>
      </>
    ),
    checking: stopButton,
    importing: stopButton,
    checked: (
      <>
        <Button onClick={back}>Back</Button>
        {stage.at === 'checked' && (
          <Button
            kind="primary"
            icon="upload"
            disabled={good === 0}
            onClick={async () => {
              if (!chosen) return
              await run(chosen, stage.rejects)
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
      {(stage.at === 'checked' || stage.at === 'imported') && <Outcome stage={stage} what={what} matching={chosen?.matchBy !== undefined} />}
    </Dialog>
  )
}
