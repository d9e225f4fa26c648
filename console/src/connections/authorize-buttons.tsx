import { useState } from 'react'
import { messageOf } from '../data/write.ts'
import { Button } from '../parts/button.tsx'
import { useToast } from '../parts/toasts.tsx'
import { useSession } from '../session/session.ts'
import type { AuthorizationLink } from './authorize.ts'
import { labelOfCrm } from './connection.ts'
import type { Connection } from './connection-record.ts'
import { LinkDialog } from './link-dialog.tsx'

/** Allows a connection in the browser, here or by a link. Each press makes a link of its own, since a link works once. */
export function AuthorizeButtons({ connection }: { readonly connection: Connection }) {
  const { crm } = useSession()
  const toast = useToast()
  const [busy, setBusy] = useState<'here' | 'link'>()
  const [link, setLink] = useState<AuthorizationLink>()

  async function authorize(where: 'here' | 'link') {
    setBusy(where)
    try {
      const made = await crm.connections.authorize({ ConnectionID: connection.ConnectionID })
      if (where === 'here') return window.location.assign(made.Link)
      setLink(made)
    } catch (error) {
      toast({ text: messageOf(error), bad: true })
    }
    setBusy(undefined)
  }

  return (
    <>
      <Button kind="primary" icon="connections" busy={busy === 'here'} onClick={() => void authorize('here')}>
        {connection.State === 'broken' ? 'Connect again' : 'Connect'}
      </Button>
      <Button icon="webhooks" busy={busy === 'link'} onClick={() => void authorize('link')}>
        Send a link
      </Button>
      {link && <LinkDialog crm={labelOfCrm(connection)} link={link} onClose={() => setLink(undefined)} />}
    </>
  )
}
