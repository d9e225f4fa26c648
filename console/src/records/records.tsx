import type { ReactNode } from 'react'
import { useDefinitionsRefreshed } from '../data/definitions.ts'
import { Spinner } from '../parts/spinner.tsx'
import { Empty } from '../parts/states.tsx'
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

/** All records of a type, or the one that the address names. */
export function Records({ recordType, objectName, path, acts }: Props) {
  const schema = useRecordSchema(recordType, objectName)
  const [id] = path
  if (!schema && objectName !== undefined) return <Undefined key={objectName} objectName={objectName} />
  if (!schema)
    return (
      <Empty icon="search" title="There is nothing here">
        This key may not know what these records are.
      </Empty>
    )
  return id === undefined ? <RecordsPage key={schema.path.join('/')} schema={schema} acts={acts} /> : <RecordPage key={id} schema={schema} id={id} />
}

/** An object that is not known here may have been defined elsewhere in the meantime. */
function Undefined({ objectName }: { readonly objectName: string }) {
  if (!useDefinitionsRefreshed()) return <Spinner label="Looking for it" />
  return (
    <Empty icon="search" title="There is nothing here">
      Nobody has defined an object called {objectName}.
    </Empty>
  )
}
