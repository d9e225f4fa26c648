import { CrmError } from 'crm-connector'
import { type ReactNode, useCallback, useEffect, useMemo, useState } from 'react'
import { Spinner } from '../parts/spinner.tsx'
import { forgetKey, keepKey, keptKey } from './keeping.ts'
import { describe, openSession, type Session, SessionContext } from './session.ts'
import { SignIn } from './sign-in.tsx'

/** Lets through whoever has a key; the others are asked for one. */
export function Gate({ children }: { readonly children: ReactNode }) {
  const [session, setSession] = useState<Omit<Session, 'describeAgain' | 'signOut'>>()
  const [refusal, setRefusal] = useState<CrmError>()
  const [opening, setOpening] = useState(() => keptKey() !== undefined)

  const open = useCallback(async (key: string, keep?: { readonly always: boolean }) => {
    setOpening(true)
    try {
      const opened = await openSession(key, () => {
        forgetKey()
        setSession(undefined)
        setRefusal(new CrmError('unauthenticated', 'The key has ended.'))
      })
      if (keep) keepKey(key, keep)
      setRefusal(undefined)
      setSession(opened)
    } catch (error) {
      // A service that is down for the moment is no reason to forget who one is.
      if ((error as CrmError).code === 'unauthenticated') forgetKey()
      setRefusal(error as CrmError)
    }
    setOpening(false)
  }, [])

  useEffect(() => {
    const key = keptKey()
    if (key !== undefined) void open(key)
  }, [open])

  const value = useMemo<Session | undefined>(
    () =>
      session && {
        ...session,
        async describeAgain() {
          setSession({ ...session, ...(await describe(session.crm)) })
        },
        signOut() {
          forgetKey()
          setSession(undefined)
          window.location.hash = ''
        },
      },
    [session],
  )

  if (value) return <SessionContext value={value}>{children}</SessionContext>
  if (opening && !refusal && keptKey() !== undefined) return <Spinner label="Signing in" whole />
  return <SignIn busy={opening} refusal={refusal} onKey={(key, always) => void open(key, { always })} />
}
