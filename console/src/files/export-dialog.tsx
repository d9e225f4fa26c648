import { recordType as contractOf, OPERATIONS, type Operation } from 'crm-connector/contract'
import { countRecords, exportColumns, type OwnerColumns, recordsOf, refuseTooMany, summaryOf, withOwnerColumns, withOwnerNames } from 'crm-connector/files'
import { useEffect, useRef, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { Progress } from '../parts/progress.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { EXPORT_FORMATS, type ExportFormat, isCsv, writerFor } from './export-formats.ts'
import { canChoosePlace, chosenPlace, download } from './target.ts'
import './files.css'

interface Props {
  readonly recordType: string
  readonly objectName?: string
  /** As the table shows them. */
  readonly filters?: { readonly [field: string]: unknown } | undefined
  readonly orderBy?: string | undefined
  readonly columns: readonly string[]
  readonly onClose: () => void
}

type Stage =
  | { readonly at: 'asking'; readonly fault?: unknown }
  | { readonly at: 'choosing' }
  | { readonly at: 'writing'; readonly records: number; readonly seconds: number }
  | { readonly at: 'done'; readonly records: number }

const OWNERS: { readonly [how in OwnerColumns]: string } = { id: 'By id', name: 'By name', both: 'By id and by name' }

/** More records than this are not held in memory by default. */
const MOST_HELD = 50_000

/** Saves what the table shows to a file, page by page. */
export function ExportDialog({ recordType, objectName, filters, orderBy, columns: shown, onClose }: Props) {
  const { crm, description, may } = useSession()
  const [format, setFormat] = useState<ExportFormat>('csv')
  const [raw, setRaw] = useState(false)
  const [onlyShown, setOnlyShown] = useState(false)
  const [ownersBy, setOwnersBy] = useState<OwnerColumns>('id')
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
  const inColumns = format !== 'ndjson'
  const narrowed = onlyShown && inColumns
  const all = narrowed ? shown : exportColumns(operation, input, description)
  const columns = withOwnerColumns(all, ownersBy)
  const namesOwners = inColumns && columns.includes('OwnerName')
  const isNarrowed = Object.keys(filters ?? {}).length > 0

  useEffect(() => () => stop.current.abort(), [])

  const save = async () => {
    stop.current = new AbortController()
    const { signal } = stop.current
    const { ending, type } = EXPORT_FORMATS[format]
    const name = `${plural}-${new Date().toISOString().slice(0, 10)}.${ending}`
    if (choosesPlace) setStage({ at: 'choosing' })
    const target = choosesPlace ? await chosenPlace(name, type) : download(name, type)
    if (signal.aborted) return target?.drop().catch(() => {})
    if (!target) return setStage({ at: 'asking' })
    const began = performance.now()
    setStage({ at: 'writing', records: 0, seconds: 0 })
    try {
      if (format === 'xlsx') refuseTooMany(total ?? 0)
      const writer = writerFor(format, { operation, columns, raw, plural })
      // `Select` takes members of the answer, and the fields of a custom object are inside `Values`.
      const wanted = narrowed && objectName === undefined ? { ...input, Select: shown } : input
      const pages = recordsOf(crm, operation, wanted, signal)
      let records = 0
      async function* counted() {
        for await (const rows of namesOwners ? withOwnerNames(crm, pages) : pages) {
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
          <p className="files-note">{isNarrowed ? `All ${plural} that the filters show.` : `All ${plural}.`}</p>
          <Field label="Format" hint={EXPORT_FORMATS[format].hint}>
            {(control) => (
              <select {...control} value={format} onChange={(event) => setFormat(event.target.value as ExportFormat)}>
                {Object.entries(EXPORT_FORMATS).map(([id, { label }]) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </select>
            )}
          </Field>
          {inColumns && (
            <div className="files-ways">
              <Field label="Columns">
                {(control) => (
                  <select {...control} value={onlyShown ? 'shown' : 'all'} onChange={(event) => setOnlyShown(event.target.value === 'shown')}>
                    <option value="all">All fields</option>
                    <option value="shown">The columns shown</option>
                  </select>
                )}
              </Field>
              {all.includes('OwnerID') && (
                <Field label="Owners">
                  {(control) => (
                    <select {...control} value={ownersBy} onChange={(event) => setOwnersBy(event.target.value as OwnerColumns)}>
                      {Object.entries(OWNERS).map(([how, label]) => (
                        <option key={how} value={how}>
                          {label}
                        </option>
                      ))}
                    </select>
                  )}
                </Field>
              )}
            </div>
          )}
          <Checkbox
            checked={raw && isCsv(format)}
            disabled={!isCsv(format)}
            onChange={setRaw}
            label="Raw texts, for other systems"
            hint="Without it, texts that a spreadsheet would take for formulas (those that begin with =, +, - or @) get a ' in front."
          />
          {canChoosePlace() && (
            <Checkbox
              checked={choosesPlace}
              onChange={setPlace}
              label="Choose where to save it"
              hint="The file is written while it is loaded. Recommended for very large exports."
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
