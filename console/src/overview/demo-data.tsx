import type { CrmError } from 'crm-connector'
import { useState } from 'react'
import { messageOf } from '../data/error-text.ts'
import { Button } from '../parts/button.tsx'
import { Code } from '../parts/code.tsx'
import { Icon } from '../parts/icon.tsx'
import { Progress, type Reached } from '../parts/progress.tsx'
import { useSession } from '../session/session.ts'
import { redeemTicket } from '../session/sign-in-link.ts'
import { enterWorkspace } from '../session/tab-workspaces.ts'
import { demoWorkspaces, useOpenDemo } from '../workspaces/demo.ts'

type Line = { readonly Part: number; readonly Changes: number } | { readonly Workspace: string; readonly Ticket: string }

/** The workspace that is made first; further ones are numbered. It may also be one that has nothing to do with demo data. */
const NAME = 'demo'

/** Offers a year of a made-up company in a workspace of its own, which is then shown. Where there is one already, it asks before it makes another. */
export function DemoData() {
  const { me, may, crm, get, postForLines } = useSession()
  const openDemo = useOpenDemo()
  /** What is there already, and whether it is known to have demo data. */
  const [there, setThere] = useState<{ readonly name: string; readonly opens: boolean }>()
  const [reached, setReached] = useState<Reached>()
  const [error, setError] = useState<CrmError>()

  async function ask() {
    setError(undefined)
    const [demo] = await demoWorkspaces(get)
    if (demo !== undefined) return setThere({ name: demo, opens: true })
    // Without the right to list workspaces there is nothing to ask about.
    const named = await crm.workspaces.getMany({ Filters: { Name: NAME, State: { ne: 'deleting' } } }).catch(() => undefined)
    if (named?.Records.length) setThere({ name: NAME, opens: false })
    else await load()
  }

  async function open(name: string) {
    try {
      await openDemo(name)
    } catch (refusal) {
      setError(refusal as CrmError)
    }
  }

  async function load() {
    setThere(undefined)
    setError(undefined)
    const began = performance.now()
    setReached({ done: 0, part: 0, seconds: 0 })
    try {
      let made: Extract<Line, { readonly Ticket: string }> | undefined
      await postForLines('/v1/demo', (line) => {
        const read = line as Line
        if ('Ticket' in read) made = read
        else setReached({ done: read.Changes, part: Math.min(1, read.Part), seconds: (performance.now() - began) / 1000 })
      })
      if (made) enterWorkspace(me.Workspace, made.Workspace, await redeemTicket(made.Ticket))
    } catch (refusal) {
      setError(refusal as CrmError)
      setReached(undefined)
    }
  }

  return (
    <li>
      <Icon name="play" />
      <h3>Try it with demo data</h3>
      {may('create_workspace') ? (
        <>
          <p className="soft">A year of a made-up company, in a workspace of its own that you can delete again.</p>
          {reached ? (
            <div className="get-started-act">
              <Progress label="Changes" reached={reached} />
            </div>
          ) : there ? (
            <>
              {there.opens ? (
                <p role="status">The workspace {there.name} has demo data already.</p>
              ) : (
                <p role="status">
                  There is a workspace {there.name} already. On the server, <code>npx crm sign-in --workspace {there.name}</code> prints a link to it.
                </p>
              )}
              <div className="get-started-act">
                {there.opens && (
                  <Button kind="primary" onClick={() => void open(there.name)}>
                    Open {there.name}
                  </Button>
                )}
                <Button onClick={() => void load()}>Load it into another</Button>
                <Button onClick={() => setThere(undefined)}>Cancel</Button>
              </div>
            </>
          ) : (
            <div className="get-started-act">
              <Button onClick={() => void ask()}>Load demo data</Button>
            </div>
          )}
          {error && (
            <p className="get-started-fault" role="alert">
              {messageOf(error)}
            </p>
          )}
        </>
      ) : (
        <>
          <p className="soft">A year of a made-up company. Run on the server:</p>
          <Code text="npx crm demo" label="Command" />
        </>
      )}
    </li>
  )
}
