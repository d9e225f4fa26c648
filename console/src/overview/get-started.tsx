import { Code } from '../parts/code.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import './get-started.css'

export function GetStarted() {
  const { may, ownStore } = useSession()
  const writes = may('create_a_lead')
  return (
    <Card>
      <div className="get-started">
        <Icon name="overview" size={36} />
        <h2>No records yet</h2>
        <p className="soft">Once there are records, this page shows what is open, overdue and changing.</p>
        <ul>
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
              <p className="soft">CSV or JSON lines, with a preview before anything is written.</p>
            </li>
          )}
          {ownStore && (
            <li>
              <Icon name="play" />
              <h3>Load demo data</h3>
              <p className="soft">A year of a made-up company. Run on the server:</p>
              <Code text="npx crm demo" label="Command" />
            </li>
          )}
        </ul>
      </div>
    </Card>
  )
}
