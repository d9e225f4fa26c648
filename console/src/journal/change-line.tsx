import { useId, useState } from 'react'
import { useRecordNames } from '../data/record-names.ts'
import { useUndo } from '../data/undo.ts'
import { useWrite } from '../data/write.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Difference } from '../parts/difference.tsx'
import { Icon } from '../parts/icon.tsx'
import { RefusalLine } from '../parts/states.tsx'
import { momentText, Person, Time } from '../parts/values.tsx'
import { Words } from '../parts/words.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { type Change, canUndo, changeSentence, eventVerb, isDeletion, operationName, pathOf } from './change-text.ts'
import { transportWord } from './transports.ts'
import { isCreation, UndoCreationDialog } from './undo-creation.tsx'

interface Props {
  readonly change: Change
  readonly undone: boolean
  /** Opened, with all its details. */
  readonly whole?: boolean
  readonly onUndone: () => void
}

/** One change as a sentence; the details unfold. */
export function ChangeLine({ change, undone, whole = false, onUndone }: Props) {
  const { may, mayUndo } = useSession()
  const write = useWrite()
  const callUndo = useUndo()
  const id = useId()
  const [open, setOpen] = useState(whole)
  const [asking, setAsking] = useState(false)
  const [undo, setUndo] = useState<{ readonly busy?: boolean; readonly done?: boolean; readonly error?: unknown }>({})
  const isUndone = undone || undo.done === true
  const path =
    change.RecordID === null || eventVerb(change) === 'deleted' ? undefined : pathOf(change.RecordType, change.RecordID, change.After ?? change.Before)

  async function undoChange() {
    setUndo({ busy: true })
    try {
      await write('Change undone.', (options) => callUndo({ ChangeID: change.ChangeID }, options), onUndone)
      setUndo({ done: true })
      onUndone()
    } catch (error) {
      setUndo({ error })
    }
  }

  return (
    <li className={`change${open ? ' change-open' : ''}`} data-change={change.ChangeID}>
      <div className="change-line">
        <button type="button" className="change-toggle" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
          <Icon name={open ? 'down' : 'right'} size={16} />
          <Sentence change={change} />
        </button>
        <div className="change-side">
          {change.Outcome !== 'ok' && <Badge tone="bad">{change.Outcome.replaceAll('_', ' ')}</Badge>}
          {change.Outcome === 'ok' && change.Operation === 'undo_change' && <Badge tone="accent">Undoes an earlier change</Badge>}
          {change.Outcome === 'ok' && change.Operation === 'allow_plan' && <Badge tone="accent">Allowed</Badge>}
          <span className="change-transport">{transportWord(change.Transport)}</span>
          <span className="change-time">
            <Time at={change.At} />
          </span>
          {may('undo_change') &&
            (canUndo(change) && mayUndo({ deleted: isDeletion(change) }) ? (
              <Button
                small
                icon="undo"
                kind="quiet"
                busy={undo.busy ?? false}
                disabled={isUndone}
                onClick={() => (isCreation(change) ? setAsking(true) : void undoChange())}
              >
                {isUndone ? 'Undone' : 'Undo'}
              </Button>
            ) : (
              <span className="change-no-undo" />
            ))}
        </div>
      </div>
      {asking && <UndoCreationDialog change={change} onConfirm={undoChange} onClose={() => setAsking(false)} />}
      {undo.error !== undefined && <RefusalLine error={undo.error} />}
      {open && (
        <div className="change-more" id={id}>
          <Images change={change} />
          <Facts change={change} path={path} whole={whole} />
        </div>
      )}
    </li>
  )
}

export function Sentence({ change }: { readonly change: Change }) {
  const { before, typeName, name, after } = changeSentence(change, useRecordNames())
  return (
    <span className="change-sentence">
      <strong>
        <Person id={change.UserID} />
      </strong>{' '}
      {before}
      {name !== undefined && (
        <>
          {typeName}{' '}
          <strong>
            ‘<Words>{name}</Words>’
          </strong>
        </>
      )}
      <Words>{after}</Words>
    </span>
  )
}

function Images({ change: { Outcome, Before, After, RecordID, RecordType } }: { readonly change: Change }) {
  if (Outcome !== 'ok') return <p className="soft change-note">Nothing was changed: the call was refused.</p>
  if (Before === null && After === null) return <p className="soft change-note">{RecordID === null ? 'No values were recorded.' : 'The values were erased.'}</p>
  return <Difference before={Before} after={After} recordType={RecordType} />
}

function Facts({ change, path, whole }: { readonly change: Change; readonly path: readonly string[] | undefined; readonly whole: boolean }) {
  const { may } = useSession()
  const facts = [
    ['Operation', operationName(change.Operation)],
    ['When', momentText(change.At)],
    ['Transport', transportWord(change.Transport)],
    ['Key', change.KeyID ?? 'none (local store)'],
    ['Record', change.RecordID],
    ['Request', change.RequestID],
    ['Idempotency key', change.IdempotencyKey],
    ['Change', change.ChangeID],
    ['Number', change.Number],
  ] as const
  return (
    <>
      <dl className="change-facts">
        {facts.map(
          ([name, value]) =>
            value !== null && (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>
            ),
        )}
      </dl>
      <p className="change-links">
        {path && <Link to={path}>Open the record</Link>}
        {change.RecordID !== null && (
          <Link to={['changes']} query={{ record: change.RecordID }}>
            History of the record
          </Link>
        )}
        {change.KeyID !== null && may('get_many_keys') && (
          <Link to={['changes']} query={{ key: change.KeyID }}>
            Changes by this key
          </Link>
        )}
        {change.BatchID !== null && (
          <Link to={['changes']} query={{ batch: change.BatchID }}>
            All changes of its group
          </Link>
        )}
        {!whole && <Link to={['changes', change.ChangeID]}>Open this change</Link>}
      </p>
    </>
  )
}
