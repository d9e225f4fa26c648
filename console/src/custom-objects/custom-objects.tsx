import { Records } from '../records/records.tsx'
import { MoreFields } from './more-fields.tsx'
import { ObjectsPage } from './objects-page.tsx'

/** The list of objects, the records of one, or one record. */
export function CustomObjects({ path }: { readonly path: readonly string[] }) {
  const [objectName, ...rest] = path
  if (objectName === undefined) return <ObjectsPage />
  return <Records recordType="CustomObject" objectName={objectName} path={rest} acts={<MoreFields key={objectName} objectName={objectName} />} />
}
