import { useId } from 'react'

/** Who signs in to the CRM: the admin in this browser, or another person by a link. */
export type Allows = 'me' | 'other'

interface Props {
  readonly crm: string
  readonly allows: Allows
  readonly onChange: (allows: Allows) => void
}

export function WhoAllows({ crm, allows, onChange }: Props) {
  const name = useId()
  const choices = [
    { value: 'me', label: 'I allow it now', hint: `You sign in to ${crm} in this tab, and come back.` },
    { value: 'other', label: 'Send a link', hint: 'The owner of the account opens it. It works once, within a day.' },
  ] as const
  return (
    <fieldset className="who-allows">
      <legend>Who allows it</legend>
      {choices.map(({ value, label, hint }) => (
        <label key={value}>
          <input type="radio" name={name} checked={allows === value} onChange={() => onChange(value)} />
          <span>
            {label}
            <small>{hint}</small>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
