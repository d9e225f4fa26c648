import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/code.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { momentText } from '../parts/values.tsx'
import { type AuthorizationLink, redirectAddress } from './authorize.ts'

interface Props {
  readonly crm: string
  readonly link: AuthorizationLink
  readonly onClose: () => void
}

/** A link for the owner of the account, to be sent to them. */
export function LinkDialog({ crm, link: { Link, ExpiresDate }, onClose }: Props) {
  return (
    <Dialog
      title="Send a link"
      onClose={onClose}
      footer={
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      }
    >
      <p>
        Send this link to the owner of the {crm} account. They open it, sign in to {crm} and allow access; this page then shows Connected.
      </p>
      <Field label="Link" hint={`It works once, and expires ${momentText(ExpiresDate)}.`}>
        {(control) => (
          <div className="connect-link">
            <input {...control} className="mono" readOnly value={Link} onFocus={(event) => event.target.select()} />
            <CopyButton text={Link} />
          </div>
        )}
      </Field>
      <p className="soft">
        The app in {crm} must have the redirect address <code>{redirectAddress(Link)}</code>.
      </p>
    </Dialog>
  )
}
