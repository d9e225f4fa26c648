import { Icon } from '../parts/icon.tsx'
import { Empty } from '../parts/states.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import { DemoData } from './demo-data.tsx'
import './get-started.css'

export function GetStarted() {
  const { may, ownStore } = useSession()
  const writes = may('create_a_lead')
  return (
    <Empty
      icon="overview"
      title="No records yet"
      act={
        <ul className="get-started">
          {writes && (
            <li>
              <Icon name="plus" />
              <h3>
                <Link to={['leads']} query={{ new: '' }}>
                  Create a lead
                </Link>
              </h3>
              <p className="soft">A first and a last name are enough.</p>
            </li>
          )}
          {writes && (
            <li>
              <Icon name="upload" />
              <h3>
                <Link to={['leads']} query={{ import: '' }}>
                  Import a file
                </Link>
              </h3>
              <p className="soft">Excel, CSV or JSON, with a preview before anything is written.</p>
            </li>
          )}
          {ownStore && <DemoData />}
        </ul>
      }
    >
      Once there are records, this page shows what is open, overdue and changing.
    </Empty>
  )
}
