import { useId, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { usePages } from '../data/pages.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { numberText, Person, Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { batchSummary, batchText, canUndoBatch, hasVerb, isSmallMix } from './batch-summary.ts'
import { ChangeLine, Sentence } from './change-line.tsx'
import type { Change } from './change-text.ts'
import { transportWord } from './transports.ts'
import { UndoBatchDialog } from './undo-batch-dialog.tsx'
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
  const isUndone = summary !== undefined && summary.undone > 0 && summary.undone === summary.changes && !summary.more
  if (summary && summary.changes + summary.refused === 1 && !whole) return <ChangeLine change={change} undone={isUndone} onUndone={onUndone} />
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
          {summary && summary.undone > 0 && !isUndone && <Badge>{`${numberText(summary.undone)} of ${numberText(summary.changes)} undone`}</Badge>}
          {change.Operation === 'undo_change' && <Badge tone="accent">Undoes an earlier change</Badge>}
          <span className="change-transport">{transportWord(change.Transport)}</span>
          <span className="change-time">
            <Time at={change.At} />
          </span>
          {may('undo_change') &&
            (undoable ? (
              <Button small icon="undo" kind="quiet" disabled={isUndone} onClick={() => setAsking(true)}>
                {isUndone ? 'Undone' : 'Undo'}
              </Button>
            ) : (
              <span className="change-no-undo" />
            ))}
        </div>
      </div>
      {error && <RefusalLine error={error} />}
      {open && <Lines id={id} batchId={batchId} whole={whole} undone={summary?.undone ?? 0} onUndone={onUndone} />}
      {asking && summary && (
        <UndoBatchDialog
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

const PAGE = 50

function Lines({
  id,
  batchId,
  whole,
  undone,
  onUndone,
}: Pick<Props, 'batchId' | 'onUndone'> & { readonly id: string; readonly whole: boolean; readonly undone: number }) {
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
