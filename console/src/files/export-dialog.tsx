import { recordType as contractOf } from 'crm-connector/contract'
import { useEffect, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { columnsFor, type ExportFormat, pagesOf, totalOf, writerFor } from './exporting.ts'
import { Progress, type Reached } from './progress.tsx'
import { targetFor } from './target.ts'
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
  | { readonly at: 'writing'; readonly reached: Reached; readonly total: number | undefined }
  | { readonly at: 'done'; readonly records: number }

const FORMATS: { readonly [format in ExportFormat]: { readonly label: string; readonly type: string } } = {
  csv: { label: 'CSV, for spreadsheets and other systems', type: 'text/csv' },
  ndjson: { label: 'NDJSON, one record a line as the API answers it', type: 'application/x-ndjson' },
}

/** Saves what the table shows to a file, page by page. */
export function ExportDialog({ recordType, objectName, filters, orderBy, onClose }: Props) {
  const { crm, description, may } = useSession()
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [forSpreadsheets, setForSpreadsheets] = useState(false)
  const [stage, setStage] = useState<Stage>({ at: 'asking' })
  const stop = useRef(new AbortController())
  const plural = objectName ?? contractOf(recordType).plural
  const isNarrowed = Object.keys(filters ?? {}).length > 0

  useEffect(() => () => stop.current.abort(), [])

  const save = async () => {
    stop.current = new AbortController()
    const { signal } = stop.current
    const name = `${plural}-${new Date().toISOString().slice(0, 10)}.${format}`
    const target = await targetFor(name, FORMATS[format].type)
    if (!target) return
    const wanted = { type: recordType, objectName, filters, orderBy }
    const began = performance.now()
    setStage({ at: 'writing', reached: { done: 0, part: undefined, seconds: 0 }, total: undefined })
    try {
      const total = await totalOf(crm, may, wanted, signal)
      const writer = writerFor(format, columnsFor(wanted, description), recordType, forSpreadsheets)
      await target.write(writer.head)
      let records = 0
      for await (const rows of pagesOf(crm, wanted, signal)) {
        await target.write(writer.page(rows))
        records += rows.length
        signal.throwIfAborted()
        const part = total === undefined ? undefined : total === 0 ? 1 : Math.min(1, records / total)
        setStage({ at: 'writing', reached: { done: records, part, seconds: (performance.now() - began) / 1000 }, total })
      }
      await target.done()
      setStage({ at: 'done', records })
    } catch (fault) {
      await target.drop().catch(() => {})
      setStage({ at: 'asking', ...(!signal.aborted && { fault }) })
    }
  }

  const halt = () => stop.current.abort()
  const footers = {
    asking: (
      <>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" icon="download" onClick={() => void save()}>
          Export
        </Button>
      </>
    ),
    writing: <Button onClick={halt}>Stop</Button>,
    done: (
      <Button kind="primary" onClick={onClose}>
        Done
      </Button>
    ),
  }
  return (
    <Dialog title={`Export ${plural}`} onClose={stage.at === 'writing' ? halt : onClose} footer={footers[stage.at]}>
      {stage.at === 'asking' && (
        <>
          <p className="files-note">
            {isNarrowed ? `All ${plural} that the filters show, with all of their fields.` : `All ${plural}, with all of their fields.`}
          </p>
          <Field
            label="Format"
            hint={
              format === 'ndjson'
                ? 'What the types of values are is kept, for programs.'
                : forSpreadsheets
                  ? 'Texts that look like formulas are changed, so that they are not read back as they were.'
                  : 'Values are written as they are, so that the file can be imported again.'
            }
          >
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
            checked={forSpreadsheets && format === 'csv'}
            disabled={format !== 'csv'}
            onChange={setForSpreadsheets}
            label="To be opened in a spreadsheet"
            hint="Puts a ' before texts that begin with = + - or @, which a spreadsheet would take for formulas."
          />
          {stage.fault !== undefined && <RefusalLine error={stage.fault} />}
        </>
      )}
      {stage.at === 'writing' && <Progress label={stage.total === undefined ? 'Records' : `Records of ${numberText(stage.total)}`} reached={stage.reached} />}
      {stage.at === 'done' && (
        <p className="files-note" role="status">
          {stage.records === 1 ? 'One record was' : `${numberText(stage.records)} records were`} exported.
        </p>
      )}
    </Dialog>
  )
}
