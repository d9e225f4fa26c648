import type { CrmError } from 'crm-connector'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { Logo } from '../parts/logo.tsx'
import { keepPlace, signInUrl } from './cookie-session.ts'
import './sign-in.css'

interface Props {
  readonly busy: boolean
  /** What people can sign in with beside a key. */
  readonly organisation: string | undefined
  /** Why the last session has ended, or could not begin. */
  readonly notice: string | undefined
  readonly refusal: CrmError | undefined
  readonly onKey: (key: string, always: boolean) => void
}

/** Keys are sent in a header, which takes only these characters. */
const CAN_BE_A_KEY = /^[\x21-\x7e]+$/

export function SignIn({ busy, organisation, notice, refusal, onKey }: Props) {
  const [key, setKey] = useState('')
  const [always, setAlways] = useState(false)
  const [noKey, setNoKey] = useState(false)
  const fault = noKey
    ? 'This is not a key. Keys have no spaces or accents.'
    : refusal && (refusal.code === 'unauthenticated' ? 'This key is unknown, expired or revoked.' : refusal.message)
  return (
    <main className="sign-in">
      <form
        className="sign-in-card"
        onSubmit={(event) => {
          event.preventDefault()
          if (key.trim() === '') return
          const isNone = !CAN_BE_A_KEY.test(key.trim())
          setNoKey(isNone)
          if (!isNone) onKey(key.trim(), always)
        }}
      >
        <Logo />
        <h1>Sign in</h1>
        {notice !== undefined && (
          <p className="sign-in-notice" role="alert">
            {notice}
          </p>
        )}
        {organisation !== undefined && (
          <>
            <a className="button button-primary" href={signInUrl()} onClick={keepPlace}>
              Sign in with {organisation}
            </a>
            <p className="sign-in-or soft">or with a key</p>
          </>
        )}
        <p className="soft">
          Enter a key of this service. It decides what you can see and do. The first admin's key is in the file data/admin-key beside the store.
        </p>
        <Field label="Key" fault={fault}>
          {(control) => (
            <input
              {...control}
              type="password"
              value={key}
              onChange={(event) => setKey(event.target.value)}
              autoComplete="current-password"
              spellCheck={false}
            />
          )}
        </Field>
        <Checkbox
          checked={always}
          onChange={setAlways}
          label="Keep me signed in on this device"
          hint="Otherwise the key is forgotten when the tab is closed."
        />
        <Button kind={organisation === undefined ? 'primary' : 'plain'} type="submit" busy={busy} disabled={key.trim() === ''}>
          Sign in
        </Button>
      </form>
      <p className="sign-in-more soft">
        <a href="docs/">Documentation</a>
      </p>
    </main>
  )
}
