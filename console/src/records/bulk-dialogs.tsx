import type { CrmError } from 'crm-connector'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { unknownChoice } from '../forms/choice-input.tsx'
import { useLeaveGuard } from '../forms/leave-guard.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { RunningDialog } from '../parts/running-dialog.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText } from '../parts/values.tsx'
import { Words } from '../parts/words.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import type { BulkOutcome, OnProgress } from './bulk-run.ts'
import { countOf, outcomeText } from './bulk-words.ts'
import { nameOf, type RecordSchema, type Row } from './record-schema.ts'

export type Run = (signal: AbortSignal, onProgress: OnProgress) => Promise<BulkOutcome>

export type Verb = 'changed' | 'deleted'

export interface Common {
  readonly schema: RecordSchema
  readonly rows: readonly Row[]
  /** The filters in words, where the rows are all that match them. */
  readonly question: readonly string[] | undefined
  /** What takes the changes back; undefined where there are none, or that cannot be. */
  readonly undoOf: (verb: Verb, outcome: BulkOutcome) => (() => Promise<void>) | undefined
  /** Called with what was changed once no dialog covers the message. */
  readonly onTell: (verb: Verb, outcome: BulkOutcome) => void
  readonly onClose: () => void
}

export function BulkDeleteDialog({ onDelete, ...common }: Common & { readonly onDelete: Run }) {
  const { schema, rows } = common
  return (
    <BulkDialog
      {...common}
      verb="deleted"
      title={`Delete ${countOf(schema, rows.length)}?`}
      label={`Delete ${numberText(rows.length)}`}
      danger
      ready
      onRun={onDelete}
    />
  )
}

interface Props extends Common {
  readonly title: string
  /** The text of the button. */
  readonly label: string
  readonly verb: Verb
  readonly danger?: boolean
  readonly ready: boolean
  readonly onRun: Run
  readonly children?: ReactNode
}

/** Says which records, asks, shows how far it has come, and lists what failed. */
export function BulkDialog({ schema, rows, question, title, label, verb, danger = false, ready, undoOf, onTell, onClose, onRun, children }: Props) {
  const [done, setDone] = useState<number>()
  const [waiting, setWaiting] = useState<CrmError>()
  const [outcome, setOutcome] = useState<BulkOutcome>()
  const abort = useRef(new AbortController())
  const id = useId()
  const gone = useRef(false)
  useEffect(
    () => () => {
      gone.current = true
      abort.current.abort()
    },
    [],
  )
  const running = done !== undefined && outcome === undefined
  useLeaveGuard(running, 'Not all records are done. Stop and leave?')

  const start = async () => {
    setDone(0)
    const ended = await onRun(abort.current.signal, (reached, failure) => {
      setDone(reached)
      setWaiting(failure)
    })
    if (!gone.current && ended.refused.length + ended.waiting.length + ended.left.length > 0) return setOutcome(ended)
    onClose()
    onTell(verb, ended)
  }
  if (outcome) {
    const undo = undoOf(verb, outcome)
    const close = () => {
      onClose()
      if (outcome.changed > 0) onTell(verb, outcome)
    }
    const undoAndClose = () => {
      onClose()
      void undo?.()
    }
    return <OutcomeDialog schema={schema} verb={verb} outcome={outcome} onUndo={undo && undoAndClose} onClose={close} />
  }
  if (running)
    return (
      <RunningDialog
        title={title.replace('?', '')}
        label="Records done"
        text={`${numberText(done)} of ${countOf(schema, rows.length)}`}
        pause={waiting && (waiting.code === 'rate_limited' ? 'Waiting: the service takes no more for now' : 'Waiting for the connection')}
        done={done}
        total={rows.length}
        onStop={() => abort.current.abort()}
      />
    )
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={danger ? 'danger' : 'primary'} type="submit" form={id} disabled={!ready}>
            {label}
          </Button>
        </>
      }
    >
      <form
        id={id}
        className="records-bulk-form"
        onSubmit={(event) => {
          event.preventDefault()
          const unknown = unknownChoice(event.currentTarget)
          if (unknown) unknown.focus()
          else if (ready) void start()
        }}
      >
        {children}
      </form>
      <Named schema={schema} rows={rows} question={question} />
      <p className="soft">Records that have changed since you selected them are left as they are, and listed.</p>
    </Dialog>
  )
}

const NAMED = 8

function Named({ schema, rows, question }: Pick<Common, 'schema' | 'rows' | 'question'>) {
  const all = question && (question.length > 0 ? `All that match: ${question.join('; ')}` : `All ${schema.many}`)
  return (
    <>
      {all !== undefined && (
        <p>
          <Words>{all}</Words>
        </p>
      )}
      <ul className="records-named" aria-label="Selected">
        {rows.slice(0, NAMED).map((row) => (
          <li key={String(row[schema.id])}>
            <Words>{nameOf(schema, row)}</Words>
          </li>
        ))}
        {rows.length > NAMED && <li className="soft">and {numberText(rows.length - NAMED)} more</li>}
      </ul>
    </>
  )
}

const MOST_LISTED = 100

interface OutcomeProps extends Pick<Props, 'schema' | 'verb' | 'onClose'> {
  readonly outcome: BulkOutcome
  readonly onUndo: (() => void) | undefined
}

function OutcomeDialog({ schema, verb, outcome, onUndo, onClose }: OutcomeProps) {
  const { may } = useSession()
  const { refused, waiting, left, fault } = outcome
  const kept = refused.length + left.length
  return (
    <Dialog
      title={outcomeText(schema, verb, outcome)}
      onClose={onClose}
      footer={
        <>
          {onUndo && (
            <Button icon="undo" onClick={onUndo}>
              Undo
            </Button>
          )}
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {fault !== undefined && <RefusalLine error={fault} />}
      {waiting.length > 0 && (
        <p>
          Deletions with this key wait for approval.{' '}
          {may('get_many_plans') && (
            <Link to={['plans']} onClick={onClose}>
              Open the deletions that wait
            </Link>
          )}
        </p>
      )}
      {kept > 0 && <p>{kept === 1 ? 'The record that is not done is still selected.' : `The ${numberText(kept)} that are not done are still selected.`}</p>}
      {refused.length > 0 && (
        <ul className="records-refused">
          {refused.slice(0, MOST_LISTED).map(({ row, message }) => (
            <li key={String(row[schema.id])}>
              <Link to={[...schema.path, String(row[schema.id])]} onClick={onClose}>
                <Words>{nameOf(schema, row)}</Words>
              </Link>{' '}
              {message}
            </li>
          ))}
          {refused.length > MOST_LISTED && <li className="soft">and {numberText(refused.length - MOST_LISTED)} more</li>}
        </ul>
      )}
    </Dialog>
  )
}
