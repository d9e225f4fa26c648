import { useEffect, useState } from 'react'
import { useAnswer } from '../data/answer.ts'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { Logo } from '../parts/logo.tsx'
import { Spinner } from '../parts/spinner.tsx'
import { Refusal, RefusalLine } from '../parts/states.tsx'
import { useRoute } from '../routing/router.ts'
import { useSession } from '../session/session.ts'
import { scopeWords } from './scope-words.ts'
import '../session/sign-in.css'
import './consent.css'

interface Question {
  readonly Client: string
  readonly ClientAddress: string | null
  readonly Verified: boolean
  readonly RedirectsTo: string
  readonly Workspaces: readonly [Offer, ...Offer[]]
}

/** What the person may grant in one of their workspaces. */
interface Offer {
  readonly Workspace: string
  readonly Scopes: readonly string[]
  readonly Confirm: 'deletes' | 'person' | null
}

/** Administration is chosen by hand: programs tend to ask for all there is. */
const chosenAtFirst = ({ Scopes }: Offer) => Scopes.filter((scope) => scope.split(':')[0] !== 'admin')

/** Asks the person who has signed in whether a program may act for them, and what it may do. */
export function Consent() {
  const { post } = useSession()
  const request = useRoute().query.get('request') ?? ''
  const { answer, error } = useAnswer((signal) => post<Question>('/oauth/question', { Request: request }, signal), [post, request])
  useEffect(() => {
    document.title = 'Allow access · CRM Connector'
  }, [])
  if (error) return <Refusal error={error} title="This request cannot be answered" />
  if (!answer) return <Spinner label="Loading" whole />
  return <Decision key={request} request={request} question={answer} />
}

function Decision({ request, question }: { readonly request: string; readonly question: Question }) {
  const { me, post } = useSession()
  const { Client, ClientAddress, Verified, RedirectsTo, Workspaces } = question
  const offerIn = (name: string) => Workspaces.find(({ Workspace }) => Workspace === name) ?? Workspaces[0]
  const [offer, setOffer] = useState(offerIn(me.Workspace))
  const { Workspace, Scopes } = offer
  const [scopes, setScopes] = useState<readonly string[]>(chosenAtFirst(offer))
  const [confirm, setConfirm] = useState(true)
  const [person, setPerson] = useState(false)
  const [busy, setBusy] = useState<'allow' | 'deny'>()
  const [error, setError] = useState<unknown>()

  async function decide(Allow: boolean) {
    setBusy(Allow ? 'allow' : 'deny')
    setError(undefined)
    try {
      const Confirm = confirm && (person ? 'person' : 'deletes')
      const { Location } = await post<{ readonly Location: string }>('/oauth/consent', { Request: request, Allow, Workspace, Scopes: scopes, Confirm })
      window.location.replace(Location)
    } catch (refused) {
      setError(refused)
      setBusy(undefined)
    }
  }

  function choose(name: string) {
    setOffer(offerIn(name))
    setScopes(chosenAtFirst(offerIn(name)))
  }

  const toggle = (scope: string, checked: boolean) => setScopes(Scopes.filter((one) => (one === scope ? checked : scopes.includes(one))))
  const deletes = scopes.some((scope) => scope.split(':')[0] === 'delete' || scope === 'admin')
  const confirms = confirm || offer.Confirm !== null
  return (
    <main className="sign-in">
      <form
        className="sign-in-card consent"
        onSubmit={(event) => {
          event.preventDefault()
          void decide(true)
        }}
      >
        <Logo />
        <h1>Allow {Client} to act for you?</h1>
        <dl>
          <dt>Program</dt>
          <dd>
            {ClientAddress ?? Client} {Verified ? <Badge tone="good">Verified address</Badge> : <Badge tone="warn">Registered itself</Badge>}
          </dd>
          <dt>Returns to</dt>
          <dd>{RedirectsTo}</dd>
          <dt>You</dt>
          <dd>
            {me.Name}
            {Workspaces.length === 1 && `, workspace ${Workspace}`}
          </dd>
        </dl>
        {Workspaces.length > 1 && (
          <Field label="Workspace" hint="It acts in this one alone.">
            {(control) => (
              <select {...control} value={Workspace} onChange={(event) => choose(event.target.value)}>
                {Workspaces.map((one) => (
                  <option key={one.Workspace}>{one.Workspace}</option>
                ))}
              </select>
            )}
          </Field>
        )}
        {!Verified && <p className="soft">Its name was not checked. Continue only if you have just started this from a program that you trust.</p>}
        <fieldset>
          <legend>It may</legend>
          {Scopes.map((scope) => (
            <Checkbox key={scope} {...scopeWords(scope)} checked={scopes.includes(scope)} onChange={(checked) => toggle(scope, checked)} />
          ))}
        </fieldset>
        {deletes && (
          <Checkbox
            label="Confirm deletes"
            hint="What it deletes is planned first. Agents ask you before they confirm it; a program at /v1 can confirm it by itself."
            checked={confirms}
            disabled={offer.Confirm !== null}
            onChange={setConfirm}
          />
        )}
        {deletes && confirms && (
          <Checkbox
            label="Only a person confirms them"
            hint="Each delete waits until it is allowed under Approvals, or with another key. No agent can confirm it."
            checked={person || offer.Confirm === 'person'}
            disabled={offer.Confirm === 'person'}
            onChange={setPerson}
          />
        )}
        {error !== undefined && <RefusalLine error={error} />}
        <div className="consent-acts">
          <Button busy={busy === 'deny'} disabled={busy === 'allow'} onClick={() => void decide(false)}>
            Deny
          </Button>
          <Button kind="primary" type="submit" busy={busy === 'allow'} disabled={scopes.length === 0 || busy === 'deny'}>
            Allow
          </Button>
        </div>
      </form>
    </main>
  )
}
