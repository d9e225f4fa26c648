import { useId, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { usePages } from '../data/pages.ts'
import { useUndoBatch } from '../data/undo-batch.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Icon } from '../parts/icon.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText, Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { type BatchSummary, batchSummary, batchText, canUndoBatch, hasVerb, isSmallMix } from './batch-summary.ts'
import { ChangeLine, Sentence } from './change-line.tsx'
import type { Change } from './change-text.ts'
import { transportWord } from './transports.ts'
import { useUndone } from './use-undone.ts'

interface Props {
  /** The newest change of the batch. */
  readonly change: Change
  readonly batchId: string
  /** Opened, on a page of its own. */
  readonly whole?: boolean
  readonly onUndone: () => void
}

/** A batch as one line; its changes unfold. */
export function BatchLine({ change, batchId, whole = false, onUndone }: Props) {
  const { crm, may, mayUndo } = useSession()
  const id = useId()
  const [open, setOpen] = useState(whole)
  const [asking, setAsking] = useState(false)
  const { answer: summary, error, reload } = useAnswer((signal) => batchSummary(crm, batchId, signal), [crm, batchId])
  if (summary && summary.changes + summary.refused === 1 && !whole) return <ChangeLine change={change} undone={summary.undone} onUndone={onUndone} />
  const undoable = summary && canUndoBatch(summary) && mayUndo({ deleted: hasVerb(summary, 'deleted') })
  return (
    <li className={`change${open ? ' change-open' : ''}`} data-batch={batchId}>
      <div className="change-line">
        <button type="button" className="change-toggle" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'down' : 'right'} size={16} />
          <span className="change-sentence">
            {summary && isSmallMix(summary) ? (
              <>
                <Sentence change={change} /> and {summary.changes === 2 ? '1 more change' : `${summary.changes - 1} more changes`}
              </>
            ) : (
              <>
                <strong>
                  <Person id={change.UserID} />
                </strong>{' '}
                {summary ? batchText(summary) : '…'}
              </>
            )}
          </span>
        </button>
        <div className="change-side">
          {summary && summary.refused > 0 && summary.changes > 0 && <Badge tone="bad">{`${numberText(summary.refused)} refused`}</Badge>}
          {change.Operation === 'undo_change' && <Badge tone="accent">Undoes an earlier change</Badge>}
          <span className="change-transport">{transportWord(change.Transport)}</span>
          <span className="change-time">
            <Time at={change.At} />
          </span>
          {may('undo_change') &&
            (undoable ? (
              <Button small icon="undo" kind="quiet" disabled={summary.undone} onClick={() => setAsking(true)}>
                {summary.undone ? 'Undone' : 'Undo'}
              </Button>
            ) : (
              <span className="change-no-undo" />
            ))}
        </div>
      </div>
      {error && <RefusalLine error={error} />}
      {open && <Lines id={id} batchId={batchId} whole={whole} undone={summary?.undone ?? false} onUndone={onUndone} />}
      {asking && summary && (
        <UndoDialog
          summary={summary}
          batchId={batchId}
          onClose={() => setAsking(false)}
          onDone={() => {
            setAsking(false)
            reload()
            onUndone()
          }}
        />
      )}
    </li>
  )
}

interface UndoProps {
  readonly summary: BatchSummary
  readonly batchId: string
  readonly onClose: () => void
  readonly onDone: () => void
}

function UndoDialog({ summary, batchId, onClose, onDone }: UndoProps) {
  const { ownStore } = useSession()
  const undoBatch = useUndoBatch()
  const count = `${summary.more ? 'more than ' : ''}${numberText(summary.changes)} changes`
  const deletes = hasVerb(summary, 'created', 'restored')
  return (
    <ConfirmDialog
      title={`Undo ${count}?`}
      confirmLabel={`Undo ${numberText(summary.changes)}${summary.more ? '+' : ''}`}
      danger={deletes}
      onConfirm={() => undoBatch(batchId, `${count}.`)}
      onDone={onDone}
      onClose={onClose}
    >
      <p>Each record becomes what it was before. {deletes && `Records that were ${hasVerb(summary, 'created') ? 'created' : 'restored'} are deleted.`}</p>
      <p>
        {!ownStore
          ? 'Those that have changed since are left as they are.'
          : summary.more
            ? 'A thousand changes are undone at a time. If one of them has changed since, it stops there.'
            : 'If one of them has changed since, nothing is undone.'}
      </p>
    </ConfirmDialog>
  )
}

const PAGE = 50

function Lines({
  id,
  batchId,
  whole,
  undone,
  onUndone,
}: Pick<Props, 'batchId' | 'onUndone'> & { readonly id: string; readonly whole: boolean; readonly undone: boolean }) {
  const { crm } = useSession()
  const { rows, error, more, next, loading } = usePages(
    (Cursor, signal) => crm.changes.getMany({ Filters: { BatchID: batchId }, Limit: PAGE, Cursor }, { signal }),
    [crm, batchId],
  )
  const isUndone = useUndone(rows, undone)
  return (
    <div className="change-batch" id={id}>
      <ol>
        {rows.map((change) => (
          <ChangeLine key={change.ChangeID} change={change} undone={isUndone(change)} onUndone={onUndone} />
        ))}
      </ol>
      {error && <RefusalLine error={error} />}
      <p className="change-links">
        {more && (
          <Button small busy={loading} onClick={next}>
            Show more
          </Button>
        )}
        {!whole && (
          <Link to={['changes']} query={{ batch: batchId }}>
            Open this group
          </Link>
        )}
      </p>
    </div>
  )
}
