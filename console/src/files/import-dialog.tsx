import { CrmError } from 'crm-connector'
import type { FileRow } from 'crm-connector/files'
import { useEffect, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { Choose } from './choose.tsx'
import { OtherEncoding, openFile, sampleOf } from './file-rows.ts'
import { type Decided, useImporting } from './importing.ts'
import { columnsOf, firstChoices, firstWays, obstacles } from './mapping.ts'
import { MappingForm } from './mapping-form.tsx'
import { Outcome } from './outcome.tsx'
import { flattened } from './planner.ts'
import { Progress } from './progress.tsx'
import { type Destination, destinationFor } from './slots.ts'
import './files.css'

interface Props {
  readonly recordType: string
  readonly objectName?: string
  readonly onClose: () => void
  /** Called when records were made. */
  readonly onDone: () => void
}

/** Brings the rows of a file in: it is chosen, its columns are mapped, all of it is checked, and then it is imported. */
export function ImportDialog({ recordType, objectName, onClose, onDone }: Props) {
  const session = useSession()
  const [destination] = useState(() => destinationFor(session, recordType, objectName))
  const [chosen, setChosen] = useState<File>()
  const [decided, setDecided] = useState<Decided>()
  const [fault, setFault] = useState<unknown>()
  const { stage, check, carryOut, stop, stopping, reload } = useImporting()
  const what = destination?.plural ?? recordType

  // Whoever leaves the page stops what is under way.
  useEffect(() => stop, [stop])

  const choose = async (file: File, encoding?: string) => {
    setChosen(file)
    setFault(undefined)
    try {
      if (destination) setDecided(await decide(file, destination, encoding))
    } catch (error) {
      setDecided(undefined)
      setFault(error)
    }
  }
  const running = stage.at === 'checking' || stage.at === 'importing'
  const blocked = decided ? obstacles(decided.destination, decided.columns, decided.choices) : []

  const stopButton = (
    <Button busy={stopping} onClick={stop}>
      {stopping ? 'Stopping …' : 'Stop'}
    </Button>
  )
  const footers = {
    deciding: (
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" disabled={!decided || blocked.length > 0} onClick={() => decided && void check(decided)}>
          Check all rows
        </Button>
      </>
    ),
    checking: stopButton,
    importing: stopButton,
    checked: (
      <>
        <Button onClick={reload}>Back</Button>
        {stage.at === 'checked' && (
          <Button
            kind="primary"
            icon="upload"
            disabled={stage.created === 0}
            onClick={async () => {
              if (!decided) return
              await carryOut(decided, stage.rejects)
              onDone()
            }}
          >
            {`Import ${numberText(stage.created)} ${stage.created === 1 ? 'row' : 'rows'}`}
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
      {stage.at === 'deciding' && (
        <>
          <Choose file={chosen} onChoose={(file) => void choose(file)} />
          {fault !== undefined && <RefusalLine error={fault} />}
          {fault instanceof OtherEncoding && chosen && (
            <div>
              <Button onClick={() => void choose(chosen, 'windows-1252')}>Read it as Windows-1252</Button>
            </div>
          )}
          {decided && <MappingForm decided={decided} obstacles={blocked} onChange={setDecided} />}
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
      {(stage.at === 'checked' || stage.at === 'imported') && <Outcome stage={stage} what={what} />}
    </Dialog>
  )
}

async function decide(chosen: File, destination: Destination, encoding: string | undefined): Promise<Decided> {
  const file = await openFile(chosen, encoding)
  const rows = await sampleOf(file)
  const sample = destination.objectName === undefined ? rows : rows.map(flattened)
  const columns = columnsOf(sample, file.format)
  if (columns.length === 0) throw unreadable(file.name, sample)
  const choices = firstChoices(destination, columns, sample)
  return { file, sample, columns, destination, choices, written: { ...firstWays(destination, choices, sample), isLoose: file.format === 'xlsx' } }
}

function unreadable(name: string, sample: readonly FileRow[]): CrmError {
  const wrong = sample.find(({ fault }) => fault !== undefined)
  if (!wrong) return new CrmError('invalid_input', `The records in ${name} have no members.`)
  return new CrmError('invalid_input', `None of the first ${numberText(sample.length)} rows of ${name} can be read. Line ${wrong.line}: ${wrong.fault}`)
}
