import { useAnswer } from '../data/answer.ts'
import { Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { useConnectionEvents } from './connection.ts'
import { ConnectionView } from './connection-view.tsx'

/** One connection with its state, and what can be done with it. */
export function ConnectionPage({ id }: { readonly id: string }) {
  const { crm } = useSession()
  const { answer, error, reload } = useAnswer((signal) => crm.connections.getMany({ Filters: { ConnectionID: id } }, { signal }), [crm, id])
  useConnectionEvents(reload)
  const connection = answer?.Records[0]
  if (connection) return <ConnectionView connection={connection} reload={reload} />
  const back = <Link to={['connections']}>All connections</Link>
  return (
    <Page title="Connection" about={back}>
      {error ? (
        <Refusal error={error} reload={reload} />
      ) : answer ? (
        <Empty icon="connections" title="Connection not found" act={back}>
          It may have been deleted.
        </Empty>
      ) : (
        <Skeleton height="16rem" />
      )}
    </Page>
  )
}
