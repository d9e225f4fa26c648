import { recordType } from 'crm-connector/contract'
import type { ReactNode } from 'react'
import { Link } from '../routing/link.tsx'
import type { Reach } from './reach.ts'

interface Props {
  readonly type: string
  readonly id: string
  readonly reach: Reach
  readonly className?: string
  readonly children: ReactNode
}

/** The way to a record's own page, where the key gets to it. */
export function RecordLink({ type, id, reach, className, children }: Props) {
  if (!reach(type, 'get')) return <span className={className}>{children}</span>
  return (
    <Link to={[recordType(type).plural, id]} className={className}>
      {children}
    </Link>
  )
}
