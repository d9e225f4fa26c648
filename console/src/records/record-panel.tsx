import { createContext, useContext, useId } from 'react'
import { IconButton } from '../parts/button.tsx'
import { Icon } from '../parts/icon.tsx'
import type { PageProps } from '../parts/page.tsx'
import { useKeys } from '../parts/use-keys.ts'
import { Link } from '../routing/link.tsx'
import { neighboursOf } from './neighbours.ts'
import { RecordPage } from './record-page.tsx'
import type { RecordSchema } from './record-schema.ts'
import './record-panel.css'

interface Props {
  readonly schema: RecordSchema
  readonly id: string
  readonly editing: boolean
  readonly onShow: (id: string) => void
  readonly onWritten: () => void
  readonly onClose: () => void
}

const PanelContext = createContext<Omit<Props, 'editing' | 'onWritten'> | undefined>(undefined)

/** A record beside the table. Esc closes it. */
export function RecordPanel({ editing, onWritten, ...props }: Props) {
  useKeys({ Escape: props.onClose })
  return (
    <PanelContext value={props}>
      <RecordPage key={props.id} schema={props.schema} id={props.id} frame={Panel} editing={editing} onWritten={onWritten} onDeleted={props.onClose} />
    </PanelContext>
  )
}

function Panel({ title, about, acts, children }: PageProps) {
  const heading = useId()
  const panel = useContext(PanelContext)
  if (!panel) return null
  const { schema, id, onShow, onClose } = panel
  const { previous, next } = neighboursOf(schema, id)
  return (
    <aside className="record-panel" aria-labelledby={heading}>
      <div className="record-way">
        <Link to={[...schema.path, id]} className="record-whole">
          Open as a page <Icon name="right" size={14} />
        </Link>
        <span className="record-steps">
          <IconButton
            icon="up"
            label={`Previous ${schema.one}`}
            small
            disabled={previous === undefined}
            onClick={() => previous !== undefined && onShow(previous)}
          />
          <IconButton icon="down" label={`Next ${schema.one}`} small disabled={next === undefined} onClick={() => next !== undefined && onShow(next)} />
          <IconButton icon="close" label="Close the panel" small onClick={onClose} />
        </span>
      </div>
      <header className="page-head">
        <div>
          <h2 id={heading}>{title}</h2>
          {about && <p className="soft">{about}</p>}
        </div>
        {acts && <div className="page-acts">{acts}</div>}
      </header>
      {children}
    </aside>
  )
}
