import type { CustomType } from 'crm-connector/contract'
import { useState } from 'react'
import { useDefinitionsRefreshed } from '../data/definitions.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card, Page } from '../parts/page.tsx'
import { Empty, Skeleton } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { CUSTOM_TYPE_WORDS } from './custom-types.ts'
import { DefineDialog } from './define-dialog.tsx'
import './objects.css'

export function ObjectsPage() {
  const { description, refreshDescription, may } = useSession()
  const [defining, setDefining] = useState(false)
  const mayDefine = may('create_custom_object')
  const objects = description.CustomObjects
  const asked = useDefinitionsRefreshed()
  return (
    <Page
      title="Custom objects"
      about="Record types of your own, with your own fields."
      acts={
        mayDefine && (
          <Button kind="primary" icon="plus" onClick={() => setDefining(true)}>
            Define an object
          </Button>
        )
      }
    >
      {objects.length === 0 && !asked ? (
        <Skeleton height="16rem" />
      ) : objects.length === 0 ? (
        <Empty icon="objects" title="No custom objects yet">
          A custom object is a record type of your own: boats, contracts, visits. It is created together with its first record.{' '}
          {!mayDefine && 'This key may not define any.'}
        </Empty>
      ) : (
        <ul className="objects">
          {objects.map(({ ObjectName, Fields }) => (
            <li key={ObjectName}>
              <Card
                title={ObjectName}
                acts={
                  <Link to={['objects', ObjectName]} className="button button-plain button-small">
                    Open
                  </Link>
                }
              >
                <ul className="objects-fields">
                  {Fields.map(({ Name, Label, Type, Retired }) => (
                    <li key={Name}>
                      <span title={Name}>{Label}</span> <Badge>{CUSTOM_TYPE_WORDS[Type as CustomType] ?? Type}</Badge>{' '}
                      {Retired && <Badge tone="warn">Retired</Badge>}
                    </li>
                  ))}
                </ul>
              </Card>
            </li>
          ))}
        </ul>
      )}
      {defining && (
        <DefineDialog
          onClose={() => setDefining(false)}
          onDone={async (name) => {
            await refreshDescription()
            setDefining(false)
            go(['objects', name])
          }}
        />
      )}
    </Page>
  )
}
