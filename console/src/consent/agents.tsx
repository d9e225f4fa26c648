import { useState } from 'react'
import '../administration/administration.css'
import { useAnswer } from '../data/answer.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Page } from '../parts/page.tsx'
import { Empty, Refusal, Skeleton } from '../parts/states.tsx'
import { TableCard } from '../parts/table-card.tsx'
import { useToast } from '../parts/toasts.tsx'
import { Time } from '../parts/values.tsx'
import { useSession } from '../session/session.ts'
import { scopeWords } from './scope-words.ts'

interface Granted {
  readonly KeyID: string
  readonly Client: string
  readonly Resource: string
  readonly Scopes: readonly string[]
  readonly Confirm: boolean
  readonly CreatedDate: string
  readonly Until: string
}

/** The programs that the person has let in, and the end of that. */
export function Agents() {
  const { post, me, baseUrl } = useSession()
  const toast = useToast()
  const { answer, error, reload } = useAnswer((signal) => post<{ readonly Granted: readonly Granted[] }>('/oauth/granted', {}, signal), [post])
  const [ending, setEnding] = useState<Granted>()

  async function disconnect({ KeyID, Client }: Granted) {
    await post('/oauth/withdraw', { KeyID })
    toast({ text: `${Client} disconnected.` })
    reload()
  }

  return (
    <Page title="Connected agents" about={`Programs that you have allowed to act for you in the workspace ${me.Workspace}.`}>
      {error && !answer ? (
        <Refusal error={error} reload={reload} />
      ) : !answer ? (
        <Skeleton height="16rem" />
      ) : answer.Granted.length === 0 ? (
        <Empty icon="agents" title="No connected agents" act={<Code label="Address for agents" text={`${baseUrl}/mcp`} />}>
          Give an agent this address. It then asks you here for what it may do.
        </Empty>
      ) : (
        <TableCard
          label="Connected agents"
          rows={answer.Granted}
          keyOf={({ KeyID }) => KeyID}
          columns={[
            {
              title: 'Agent',
              cell: ({ Client, Confirm }) => (
                <span className="admin-name">
                  <strong>{Client}</strong>
                  {Confirm && <Badge tone="warn">Deletions wait</Badge>}
                </span>
              ),
            },
            { title: 'May', labelled: true, cell: ({ Scopes }) => Scopes.map((scope) => scopeWords(scope).label).join(', ') },
            {
              title: 'At',
              labelled: true,
              cell: ({ Resource }) => <span className="admin-scopes">{Resource}</span>,
            },
            {
              title: 'Allowed',
              labelled: true,
              cell: ({ CreatedDate }) => <Time at={CreatedDate} />,
            },
            {
              title: 'Until',
              labelled: true,
              cell: ({ Until }) => <Time at={Until} />,
            },
            {
              title: 'Actions',
              untitled: true,
              cell: (granted) => (
                <span className="admin-acts">
                  <Button small kind="danger" aria-label={`Disconnect ${granted.Client}`} onClick={() => setEnding(granted)}>
                    Disconnect
                  </Button>
                </span>
              ),
            },
          ]}
        />
      )}
      {ending && (
        <ConfirmDialog
          title={`Disconnect ${ending.Client}?`}
          confirmLabel="Disconnect"
          danger
          onClose={() => setEnding(undefined)}
          onConfirm={() => disconnect(ending)}
        >
          <p className="admin-question">Its calls will be refused at once. To come back it has to ask you again.</p>
        </ConfirmDialog>
      )}
    </Page>
  )
}
