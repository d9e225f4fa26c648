import type { ReactNode } from 'react'
import { useDefinitionsRefreshed } from '../data/definitions.ts'
import { Spinner } from '../parts/spinner.tsx'
import { Empty } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { RecordPage } from './record-page.tsx'
import { useRecordSchema } from './record-schema.ts'
import { RecordsPage } from './records-page.tsx'

interface Props {
  readonly recordType: string
  readonly objectName?: string
  readonly path: readonly string[]
  /** More buttons above the table. */
  readonly acts?: ReactNode
}

export function Records({ recordType, objectName, path, acts }: Props) {
  const schema = useRecordSchema(recordType, objectName)
  const [id] = path
  if (!schema && objectName !== undefined) return <Undefined key={objectName} objectName={objectName} />
  if (!schema)
    return (
      <Empty icon="keys" title="Not allowed with this key" act={<Link to={['operations']}>Show allowed operations</Link>}>
        This key may not read these records.
      </Empty>
    )
  return id === undefined ? <RecordsPage key={schema.path.join('/')} schema={schema} acts={acts} /> : <RecordPage key={id} schema={schema} id={id} />
}

/** The object may have been defined since the description was loaded, so that is loaded again first. */
function Undefined({ objectName }: { readonly objectName: string }) {
  if (!useDefinitionsRefreshed()) return <Spinner label="Loading" />
  return (
    <Empty icon="search" title="Object not found" act={<Link to={['objects']}>All custom objects</Link>}>
      There is no object called {objectName}.
    </Empty>
  )
}
