import { useState } from 'react'
import { usePages } from '../data/pages.ts'
import { Button } from '../parts/button.tsx'
import { Listing } from '../parts/listing.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { Time } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { go } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import type { AuthorizationLink } from './authorize.ts'
import { ConnectDialog } from './connect-dialog.tsx'
import { accountName, adviceOf, connectionName, labelOfCrm, useConnectionEvents } from './connection.ts'
import { ConnectionPage } from './connection-page.tsx'
import type { Connection } from './connection-record.ts'
import { CrmChoice, CrmMark } from './crm-choice.tsx'
import { type ConnectableCrm, crmOf } from './crms.ts'
import { LinkDialog } from './link-dialog.tsx'
import { mirrorText, useMirror } from './mirror.ts'
import { ConnectionBadges } from './state.tsx'
import './connections.css'

const PAGE = 100

export function Connections({ path }: { readonly path: readonly string[] }) {
  return path[0] === undefined ? <AllConnections /> : <ConnectionPage key={path[0]} id={path[0]} />
}

function AllConnections() {
  const { crm, may, refreshDescription } = useSession()
  const pages = usePages((Cursor, signal) => crm.connections.getMany({ Limit: PAGE, Cursor }, { signal }), [crm])
  const { rows, reload } = pages
  useConnectionEvents(reload)
  const [connecting, setConnecting] = useState<{ readonly crm?: ConnectableCrm }>()
  const [sent, setSent] = useState<{ readonly connection: Connection; readonly link: AuthorizationLink }>()
  const mayConnect = may('create_connection')

  return (
    <Page
      title="Connections"
      about="Accounts of CRMs in which the records of this workspace can live."
      acts={
        mayConnect &&
        rows.length > 0 && (
          <Button kind="primary" icon="plus" onClick={() => setConnecting({})}>
            Connect a CRM
          </Button>
        )
      }
    >
      <Listing
        pages={pages}
        empty={
          <Empty icon="connections" title="No CRM is connected" act={mayConnect && <CrmChoice onChoose={(chosen) => setConnecting({ crm: chosen })} />}>
            The records of this workspace are in the connector’s own store. Connect an account of a CRM, and they are read from and written to it.
          </Empty>
        }
      >
        <ul className="connections">
          {rows.map((connection) => (
            <ConnectionLine key={connection.ConnectionID} connection={connection} />
          ))}
        </ul>
      </Listing>
      {connecting && (
        <ConnectDialog
          crm={connecting.crm}
          onClose={() => setConnecting(undefined)}
          onDone={(connection, link) => {
            setConnecting(undefined)
            void refreshDescription()
            if (link) setSent({ connection, link })
            else go(['connections', connection.ConnectionID])
          }}
        />
      )}
      {sent && <LinkDialog crm={labelOfCrm(sent.connection)} link={sent.link} onClose={() => go(['connections', sent.connection.ConnectionID])} />}
    </Page>
  )
}

/** The state of the mirror of the connection that is in use. */
function MirrorLine() {
  const { mirror } = useMirror()
  if (!mirror) return null
  return (
    <span className={mirror.Reason === null ? 'soft' : 'connection-bad'}>
      {mirror.Reason === null ? mirrorText(mirror) : mirror.FailedDate === null ? mirror.Reason : `The last poll failed: ${mirror.Reason}`}
    </span>
  )
}

function ConnectionLine({ connection }: { readonly connection: Connection }) {
  const { may } = useSession()
  const { ConnectionID, Address, Account, Reason, ConnectedDate } = connection
  const advice = adviceOf(connection)
  const facts = [labelOfCrm(connection), Address?.replace(/^https:\/\//, ''), Account && `account ${accountName(connection)}`].filter(Boolean)
  return (
    <li className="card connection-line">
      <CrmMark crm={crmOf(connection.Platform)} />
      <div>
        <div className="connection-line-head">
          <Link to={['connections', ConnectionID]}>{connectionName(connection)}</Link>
          <ConnectionBadges connection={connection} />
        </div>
        <span className="soft">{facts.join(' · ')}</span>
        {connection.InUse && may('get_mirror') && <MirrorLine />}
        {Reason && <span className={connection.State === 'broken' ? 'connection-bad' : 'connection-wait'}>{Reason}</span>}
        {advice && <span>{advice}</span>}
      </div>
      {ConnectedDate && (
        <small className="soft">
          connected <Time at={ConnectedDate} />
        </small>
      )}
    </li>
  )
}
