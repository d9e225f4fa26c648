import { recordType as contractOf, OPERATIONS, type Operation } from 'crm-connector/contract'
import { countRecords, csvOf, exportColumns, flatRecord, ndjsonOf, recordsOf, summaryOf } from 'crm-connector/files'
import { useEffect, useRef, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { Progress } from './progress.tsx'
import { canChoosePlace, chosenPlace, download } from './target.ts'
import './files.css'

interface Props {
  readonly recordType: string
  readonly objectName?: string
  /** As the table shows them. */
  readonly filters?: { readonly [field: string]: unknown } | undefined
  readonly orderBy?: string | undefined
  readonly onClose: () => void
}

type Stage =
  | { readonly at: 'asking'; readonly fault?: unknown }
  | { readonly at: 'choosing' }
  | { readonly at: 'writing'; readonly records: number; readonly seconds: number }
  | { readonly at: 'done'; readonly records: number }

type ExportFormat = 'csv' | 'ndjson'

const FORMATS: { readonly [format in ExportFormat]: { readonly label: string; readonly type: string } } = {
  csv: { label: 'CSV, for spreadsheets and other systems', type: 'text/csv' },
  ndjson: { label: 'NDJSON, one record a line as the API answers it', type: 'application/x-ndjson' },
}

/** More records than this are not held in memory by default. */
const MOST_HELD = 50_000

/** Saves what the table shows to a file, page by page. */
export function ExportDialog({ recordType, objectName, filters, orderBy, onClose }: Props) {
  const { crm, description, may } = useSession()
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [raw, setRaw] = useState(false)
  const [stage, setStage] = useState<Stage>({ at: 'asking' })
  const [place, setPlace] = useState<boolean>()
  const stop = useRef(new AbortController())
  const operation = OPERATIONS.find((one) => one.record.name === recordType && one.verb === 'getMany') as Operation
  const Filters = { ...(objectName !== undefined && { ObjectName: objectName }), ...filters }
  const input = { ...(Object.keys(Filters).length > 0 && { Filters }), ...(orderBy !== undefined && { OrderBy: orderBy }) }
  // Counted before the click, since a browser lets a place be chosen only right after one. It is only for the progress bar: no error is shown.
  const { answer: total } = useAnswer(
    async (signal) => (may(summaryOf(recordType)?.id ?? '') ? countRecords(crm, operation, input, { signal, retries: 0 }).catch(() => undefined) : undefined),
    [crm, may, recordType, JSON.stringify(input)],
  )
  const choosesPlace = canChoosePlace() && (place ?? (total !== undefined && total > MOST_HELD))
  const plural = objectName ?? contractOf(recordType).plural
  const isNarrowed = Object.keys(filters ?? {}).length > 0

  useEffect(() => () => stop.current.abort(), [])

  const save = async () => {
    stop.current = new AbortController()
    const { signal } = stop.current
    const name = `${plural}-${new Date().toISOString().slice(0, 10)}.${format}`
    if (choosesPlace) setStage({ at: 'choosing' })
    const target = choosesPlace ? await chosenPlace(name, FORMATS[format].type) : download(name, FORMATS[format].type)
    if (signal.aborted) return target?.drop().catch(() => {})
    if (!target) return setStage({ at: 'asking' })
    const began = performance.now()
    setStage({ at: 'writing', records: 0, seconds: 0 })
    try {
      const writer = format === 'ndjson' ? ndjsonOf : csvOf(exportColumns(operation, input, description), (row) => flatRecord(operation, row), raw)
      let records = 0
      async function* counted() {
        for await (const rows of recordsOf(crm, operation, input, signal)) {
          yield rows
          records += rows.length
          setStage({ at: 'writing', records, seconds: (performance.now() - began) / 1000 })
        }
      }
      for await (const piece of writer(counted())) {
        await target.write(piece)
        signal.throwIfAborted()
      }
      signal.throwIfAborted()
      await target.done()
      setStage({ at: 'done', records })
    } catch (fault) {
      await target.drop().catch(() => {})
      setStage({ at: 'asking', ...(!signal.aborted && { fault }) })
    }
  }

  const halt = () => {
    stop.current.abort()
    // The browser's own dialog cannot be closed from here; its answer is then ignored.
    if (stage.at === 'choosing') setStage({ at: 'asking' })
  }
  const footers = {
    asking: (
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" icon="download" onClick={() => void save()}>
          Export
        </Button>
      </>
    ),
    choosing: <Button onClick={halt}>Cancel</Button>,
    writing: <Button onClick={halt}>Stop</Button>,
    done: (
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    ),
  }
  return (
    <Dialog title={`Export ${plural}`} onClose={stage.at === 'writing' || stage.at === 'choosing' ? halt : onClose} footer={footers[stage.at]}>
      {stage.at === 'asking' && (
        <>
          <p className="files-note">
            {isNarrowed ? `All ${plural} that the filters show, with all of their fields.` : `All ${plural}, with all of their fields.`}
          </p>
          <Field label="Format" hint={format === 'ndjson' ? 'Values keep their types, for programs.' : 'The file can be imported again.'}>
            {(control) => (
              <select {...control} value={format} onChange={(event) => setFormat(event.target.value as ExportFormat)}>
                {Object.entries(FORMATS).map(([id, { label }]) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Checkbox
            checked={raw && format === 'csv'}
            disabled={format !== 'csv'}
            onChange={setRaw}
            label="Raw texts, for other systems"
            hint="Puts no ' before texts that begin with = + - or @, which a spreadsheet takes for formulas."
          />
          {canChoosePlace() && (
            <Checkbox
              checked={choosesPlace}
              onChange={setPlace}
              label="Choose where to save it"
              hint="It is written as it comes, which suits what is too large to be held in memory."
            />
          )}
          {stage.fault !== undefined && <RefusalLine error={stage.fault} />}
        </>
      )}
      {stage.at === 'choosing' && (
        <p className="files-note" role="status">
          Choose where to save it …
        </p>
      )}
      {stage.at === 'writing' && (
        <Progress
          label={total === undefined ? 'Records' : `Records of ${numberText(total)}`}
          reached={{
            done: stage.records,
            part: total === undefined ? undefined : total === 0 ? 1 : Math.min(1, stage.records / total),
            seconds: stage.seconds,
          }}
        />
      )}
      {stage.at === 'done' && (
        <p className="files-note" role="status">
          {stage.records === 1 ? 'One record was' : `${numberText(stage.records)} records were`} exported.
        </p>
      )}
    </Dialog>
  )
}
