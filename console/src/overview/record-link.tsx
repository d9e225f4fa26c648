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

/** A link to the page of a record, or plain text where the key may not read it. */
export function RecordLink({ type, id, mayRead, className, children }: Props) {
  if (!mayRead(type, 'get')) return <span className={className}>{children}</span>
  return (
    <Link to={[recordType(type).plural, id]} className={className}>
      {children}
    </Link>
  )
}
