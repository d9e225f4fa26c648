import { CrmError } from 'crm-connector'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { setCurrency } from '../parts/money.ts'
import { Spinner } from '../parts/spinner.tsx'
import { COOKIE, endCookieSession, followWorkspace, returnToPlace, type SignInWays, signInWays, takeSignInFailure } from './cookie-session.ts'
import { forgetKey, type HowToKeep, isStoredSession, onStoredKeyChange, storedKey, storeKey } from './key-storage.ts'
import { type Credential, describe, type OpenedSession, openSession, type Session, SessionContext } from './session.ts'
import { SignIn } from './sign-in.tsx'
import { endSession, hasTicket, onLink, redeemTicket, takeTicket } from './sign-in-link.ts'
import { dropWorkspaces } from './tab-workspaces.ts'

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Shows the console to signed-in users, and otherwise the sign-in form. */
export function Gate({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState<OpenedSession>()
  const [refusal, setRefusal] = useState<CrmError>()
  const [opening, setOpening] = useState(() => storedKey() !== undefined)
  /** Whether a sign-in link is being used. */
  const [linking, setLinking] = useState(hasTicket)
  /** Undefined until the service has said it. */
  const [ways, setWays] = useState<SignInWays>()
  /** Why the last session has ended, or could not begin. */
  const [notice, setNotice] = useState(takeSignInFailure)
  /** What is in use, or being checked. */
  const current = useRef<Credential>(undefined)

  const end = useCallback((why?: CrmError) => {
    current.current = undefined
    setSession(undefined)
    setRefusal(why)
    setOpening(false)
  }, [])

  const open = useCallback(
    async (credential: Credential, keep?: HowToKeep) => {
      current.current = credential
      setOpening(true)
      try {
        const opened = await openSession(credential, () => {
          if (current.current !== credential) return
          if (credential === COOKIE) {
            setNotice('Your session has ended. Sign in again.')
            end()
          } else {
            forgetKey()
            end(new CrmError('unauthenticated', 'The key has expired or was revoked.'))
          }
        })
        if (current.current !== credential) return
        if (keep && credential !== COOKIE) storeKey(credential, keep)
        setRefusal(undefined)
        setNotice(undefined)
        setSession(opened)
      } catch (error) {
        if (current.current !== credential) return
        if (credential === COOKIE) setNotice((error as CrmError).message)
        else {
          // The key is forgotten only if the service refuses it, not if the service is down.
          if ((error as CrmError).code === 'unauthenticated') forgetKey()
          setRefusal(error as CrmError)
        }
      }
      setOpening(false)
    },
    [end],
  )

  useEffect(() => {
    const follow = () => {
      const key = storedKey()
      if (key === current.current) return
      if (key !== undefined) void open(key)
      // A session in the cookie goes on.
      else if (current.current !== COOKIE) end()
    }
    /** A link signs in whatever was before; one that cannot be used leaves that as it is. */
    const openLink = async () => {
      const ticket = takeTicket()
      if (ticket === undefined) return follow()
      setLinking(true)
      try {
        await open(await redeemTicket(ticket), { always: false, session: true })
      } catch (error) {
        const { message, hint } = error as CrmError
        setNotice([message, hint].filter(Boolean).join(' '))
        follow()
      }
      setLinking(false)
    }
    void openLink()
    const offLink = onLink(() => void openLink())
    void signInWays().then((found) => {
      setCurrency(found.Currency)
      setWays(found)
      if (!found.SignedIn || current.current !== undefined) return
      returnToPlace()
      void open(COOKIE)
    })
    const offKey = onStoredKeyChange(follow)
    return () => {
      offKey()
      offLink()
    }
  }, [open, end])

  const inCookie = session !== undefined && current.current === COOKIE
  useEffect(() => (inCookie ? followWorkspace() : undefined), [inCookie])

  const leave = useCallback(async () => {
    try {
      const there = await endCookieSession()
      end()
      if (there !== undefined) window.location.assign(there)
    } catch {
      setNotice('The service does not answer, so that you are still signed in. Load the page again.')
      end()
    }
  }, [end])

  const value = useMemo<Session | undefined>(
    () =>
      session && {
        ...session,
        mayUndo: ({ deleted }) => session.may('undo_change') && (session.ownStore || !deleted),
        async refreshDescription() {
          if (!session.may('describe')) return
          const found = await describe(session.crm)
          // A failed reload keeps the description, and an equal one keeps its identity, so that nothing rerenders.
          setSession((now) => {
            if (now?.crm !== session.crm || (found.fault && !now.fault)) return now
            return !found.fault && !now.fault && isSame(found.description, now.description) ? now : { ...now, ...found }
          })
        },
        signOut() {
          if (current.current === COOKIE) void leave()
          else {
            const key = storedKey()
            const sessions = new Set([...dropWorkspaces(), ...(key !== undefined && isStoredSession() ? [key] : [])])
            for (const one of sessions) endSession(one)
            forgetKey()
            end()
          }
          window.location.hash = ''
        },
      },
    [session, end, leave],
  )

  // With the ways comes the currency, which amounts are not shown without.
  if (value && ways) return <SessionContext value={value}>{children}</SessionContext>
  const restoring = linking || ways === undefined || (opening && (storedKey() !== undefined || current.current === COOKIE))
  if (restoring && !refusal) return <Spinner label="Signing in" whole />
  return <SignIn busy={opening} organisation={ways?.Oidc?.Name} notice={notice} refusal={refusal} onKey={(key, always) => void open(key, { always })} />
}
