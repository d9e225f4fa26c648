import { CrmError } from 'crm-connector'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Spinner } from '../parts/spinner.tsx'
import { forgetKey, onStoredKeyChange, storedKey, storeKey } from './key-storage.ts'
import { describe, type OpenedSession, openSession, type Session, SessionContext } from './session.ts'
import { SignIn } from './sign-in.tsx'

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** Shows the console to signed-in users, and otherwise the sign-in form. */
export function Gate({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState<OpenedSession>()
  const [refusal, setRefusal] = useState<CrmError>()
  const [opening, setOpening] = useState(() => storedKey() !== undefined)
  /** The key in use, or being checked. */
  const current = useRef<string>(undefined)

  const end = useCallback((why?: CrmError) => {
    current.current = undefined
    setSession(undefined)
    setRefusal(why)
    setOpening(false)
  }, [])

  const open = useCallback(
    async (key: string, keep?: { readonly always: boolean }) => {
      current.current = key
      setOpening(true)
      try {
        const opened = await openSession(key, () => {
          if (current.current !== key) return
          forgetKey()
          end(new CrmError('unauthenticated', 'The key has expired or was revoked.'))
        })
        if (current.current !== key) return
        if (keep) storeKey(key, keep)
        setRefusal(undefined)
        setSession(opened)
      } catch (error) {
        if (current.current !== key) return
        // The key is forgotten only if the service refuses it, not if the service is down.
        if ((error as CrmError).code === 'unauthenticated') forgetKey()
        setRefusal(error as CrmError)
      }
      setOpening(false)
    },
    [end],
  )

  useEffect(() => {
    const follow = () => {
      const key = storedKey()
      if (key === current.current) return
      if (key === undefined) end()
      else void open(key)
    }
    follow()
    return onStoredKeyChange(follow)
  }, [open, end])

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
          forgetKey()
          end()
          window.location.hash = ''
        },
      },
    [session, end],
  )

  if (value) return <SessionContext value={value}>{children}</SessionContext>
  if (opening && !refusal && storedKey() !== undefined) return <Spinner label="Signing in" whole />
  return <SignIn busy={opening} refusal={refusal} onKey={(key, always) => void open(key, { always })} />
}
