import type { ReactNode } from 'react'

/** A value that says what it is where its column has no head: on narrow screens. */
export function Labelled({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <>
      <span className="admin-label" aria-hidden="true">
        {label}{' '}
      </span>
      {children}
    </>
  )
}
