import { type ReactNode, useEffect } from 'react'
import './page.css'

interface Props {
  readonly title: string
  readonly about?: ReactNode
  readonly acts?: ReactNode
  /** The page is as high as the window; its content scrolls. */
  readonly fills?: boolean
  readonly children: ReactNode
}

export function Page({ title, about, acts, fills = false, children }: Props) {
  useEffect(() => {
    document.title = `${title} · CRM Connector`
  }, [title])
  return (
    <div className={`page${fills ? ' page-fills' : ''}`}>
      <header className="page-head">
        <div>
          <h1>{title}</h1>
          {about && <p className="soft">{about}</p>}
        </div>
        {acts && <div className="page-acts">{acts}</div>}
      </header>
      {children}
    </div>
  )
}

export function Card({ title, acts, children }: { readonly title?: string; readonly acts?: ReactNode; readonly children: ReactNode }) {
  return (
    <section className="card">
      {(title || acts) && (
        <header>
          {title && <h2>{title}</h2>}
          {acts && <div className="card-acts">{acts}</div>}
        </header>
      )}
      {children}
    </section>
  )
}
