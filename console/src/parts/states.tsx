import type { CrmError } from 'crm-connector'
import type { ReactNode } from 'react'
import { errorWords, messageOf } from '../data/error-text.ts'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'
import './states.css'

/** An empty state, with what to do about it; `page` where it stands for a whole page, whose heading it then has. */
export function Empty({
  icon,
  title,
  children,
  act,
  page = false,
}: {
  readonly icon: IconName
  readonly title: string
  readonly children?: ReactNode
  readonly act?: ReactNode
  readonly page?: boolean
}) {
  const Heading = page ? 'h1' : 'h2'
  return (
    <div className="state">
      <Icon name={icon} size={36} />
      <Heading>{title}</Heading>
      {children && <p>{children}</p>}
      {act}
    </div>
  )
}

/** An empty state in one line, within a card; `whole` in the middle of it. */
export function Nothing({ children, whole = false }: { readonly children: ReactNode; readonly whole?: boolean }) {
  return <p className={`soft nothing${whole ? ' nothing-whole' : ''}`}>{children}</p>
}

interface RefusalProps {
  readonly error: CrmError
  readonly title?: string
  readonly text?: string
  readonly reload?: () => void
}

/** An error in place of a page. */
export function Refusal({ error, reload, ...own }: RefusalProps) {
  const { title, text } = { ...errorWords(error), ...own }
  return (
    <div className="state state-bad" role="alert">
      <Icon name="warning" size={36} />
      <h2>{title}</h2>
      <p>{text}</p>
      {error.requestId && <p className="soft">Request {error.requestId}</p>}
      {reload && (
        <Button icon="reload" onClick={reload}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** An error in one line, within a form or a card. */
export function RefusalLine({ error }: { readonly error: unknown }) {
  return (
    <p className="refusal-line" role="alert">
      <Icon name="warning" size={16} /> <span>{messageOf(error)}</span>
    </p>
  )
}

/** A placeholder of the size of what is loading. */
export function Skeleton({ height }: { readonly height: string }) {
  return <div className="skeleton" style={{ height }} aria-hidden="true" />
}
