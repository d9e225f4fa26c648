import type { CrmError } from 'crm-connector'
import { useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Checkbox } from '../parts/checkbox.tsx'
import { Field } from '../parts/field.tsx'
import { Logo } from '../parts/logo.tsx'
import './sign-in.css'

interface Props {
  readonly busy: boolean
  readonly refusal: CrmError | undefined
  readonly onKey: (key: string, always: boolean) => void
}

export function SignIn({ busy, refusal, onKey }: Props) {
  const [key, setKey] = useState('')
  const [always, setAlways] = useState(false)
  return (
    <main className="sign-in">
      <form
        className="sign-in-card"
        onSubmit={(event) => {
          event.preventDefault()
          if (key.trim() !== '') onKey(key.trim(), always)
        }}
      >
        <Logo />
        <h1>Sign in</h1>
        <p className="soft">With a key of this service. What you see and may do is what the key allows.</p>
        <Field
          label="Key"
          fault={refusal && (refusal.code === 'unauthenticated' ? 'This key is unknown, expired or revoked.' : refusal.message)}
          hint="The first admin's key is in the file data/admin-key beside the store."
        >
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
        <Button kind="primary" type="submit" busy={busy} disabled={key.trim() === ''}>
          Sign in
        </Button>
      </form>
      <p className="sign-in-more soft">
        <a href="docs">API reference</a>
      </p>
    </main>
  )
}
