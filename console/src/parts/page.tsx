import { type ReactNode, useEffect } from 'react'
import { Words } from './words.tsx'
import './page.css'

export interface PageProps {
  readonly title: string
  /** The way that leads to it, above the title. */
  readonly above?: ReactNode
  readonly about?: ReactNode
  readonly acts?: ReactNode
  /** The page is as high as the window; its content scrolls. */
  readonly fills?: boolean
  readonly children: ReactNode
}

export function Page({ title, above, about, acts, fills = false, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · CRM Connector`
  }, [title])
  return (
    <div className={`page${fills ? ' page-fills' : ''}`}>
      <header className="page-head">
        <div>
          {above}
          <h1>
            <Words>{title}</Words>
          </h1>
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
