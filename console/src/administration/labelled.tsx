import type { ReactNode } from 'react'

/** A value with its label, for narrow screens where the table has no header. */
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
