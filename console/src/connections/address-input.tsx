import { Field } from '../parts/field.tsx'
import type { ConnectableCrm } from './crms.ts'

interface Props {
  readonly crm: ConnectableCrm
  readonly value: string
  readonly fault: string | undefined
  readonly onChange: (address: string) => void
}

export function AddressInput({ crm: { address }, value, fault, onChange }: Props) {
  return (
    <Field label="Address" required={!address.optional} hint={address.hint} fault={fault}>
      {(control) => (
        <input
          {...control}
          inputMode="url"
          value={value}
          placeholder={address.placeholder}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
