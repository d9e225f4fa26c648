import { OPERATIONS } from 'crm-connector/contract'
import { Empty } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { OperationList } from './operation-list.tsx'
import { OperationPage } from './operation-page.tsx'

export function Operations({ path }: { readonly path: readonly string[] }) {
  const [id] = path
  if (id === undefined) return <OperationList />
  const operation = OPERATIONS.find((one) => one.id === id)
  if (operation) return <OperationPage key={id} operation={operation} />
  return (
    <Empty icon="operations" title="Operation not found" act={<Link to={['operations']}>All operations</Link>}>
      There is no operation called {id}.
    </Empty>
  )
}
