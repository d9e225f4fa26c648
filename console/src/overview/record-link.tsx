import { recordType } from 'crm-connector/contract'
import type { ReactNode } from 'react'
import { Link } from '../routing/link.tsx'
import type { MayRead } from './may-read.ts'

interface Props {
  readonly type: string
  readonly id: string
  readonly mayRead: MayRead
  readonly className?: string
  readonly children: ReactNode
}

/** The way to a record's own page, where the key gets to it. */
export function RecordLink({ type, id, mayRead, className, children }: Props) {
  if (!mayRead(type, 'get')) return <span className={className}>{children}</span>
  return (
    <Link to={[recordType(type).plural, id]} className={className}>
      {children}
    </Link>
  )
}
