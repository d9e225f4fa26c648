import { Badge } from '../parts/badge.tsx'
import { stateOf } from './connection.ts'
import type { Connection } from './connection-record.ts'

export function ConnectionBadges({ connection }: { readonly connection: Connection }) {
  const { word, tone } = stateOf(connection)
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      {connection.InUse && <Badge tone="accent">In use</Badge>}
      {connection.Configured && <Badge>Configured</Badge>}
    </>
  )
}
