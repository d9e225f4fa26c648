import { Code } from '../parts/code.tsx'
import { Icon } from '../parts/icon.tsx'
import { Card } from '../parts/page.tsx'
import { Link } from '../routing/link.tsx'
import { useSession } from '../session/session.ts'
import './get-started.css'

/** There is nothing to look at yet, and these are the ways to begin. */
export function GetStarted() {
  const { may, ownStore } = useSession()
  const writes = may('create_a_lead')
  return (
    <Card>
      <div className="beginning">
        <Icon name="overview" size={36} />
        <h2>There is nothing to look at yet</h2>
        <p className="soft">Once there are records, this page shows what is open, what is overdue and what happens, as it happens.</p>
        <ul>
          {writes && (
            <li>
              <Icon name="plus" />
              <h3>
                <Link to={['leads']} query={{ new: '' }}>
                  Create a lead
                </Link>
              </h3>
              <p className="soft">A first and a last name are enough to begin with.</p>
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
              <h3>Try it with a made-up company</h3>
              <p className="soft">On the machine of the service, a year of records:</p>
              <Code text="npx crm demo" label="The command" />
            </li>
          )}
        </ul>
      </div>
    </Card>
  )
}
