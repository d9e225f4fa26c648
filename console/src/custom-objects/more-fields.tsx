import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { DefineDialog } from './define-dialog.tsx'

/** The buttons above the records of an object. */
export function MoreFields({ objectName }: { readonly objectName: string }) {
  const { may, refreshDescription } = useSession()
  const [defining, setDefining] = useState(false)
  return (
    <>
      <Link to={['objects']} className="button button-quiet">
        All objects
      </Link>
      {may('create_custom_object') && (
        <Button icon="columns" onClick={() => setDefining(true)}>
          Add fields
        </Button>
      )}
      {defining && (
        <DefineDialog
          objectName={objectName}
          onClose={() => setDefining(false)}
          onDone={async () => {
            await refreshDescription()
            setDefining(false)
          }}
        />
      )}
    </>
  )
}
