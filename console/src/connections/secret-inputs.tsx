import { Field } from '../parts/field.tsx'
import { RefusalLine } from '../parts/states.tsx'
import type { Way } from './crms.ts'
import { isRefused, memberFaults } from './faults.ts'

export type Secrets = { readonly [name: string]: string }

interface Props {
  readonly way: Way
  readonly secrets: Secrets
  readonly error: unknown
  readonly onChange: (secrets: Secrets) => void
}

/** Password managers neither fill these in nor offer to store them. */
const UNSTORED = { autoComplete: 'new-password', spellCheck: false, autoCapitalize: 'none', 'data-1p-ignore': true, 'data-lpignore': 'true' } as const

export function SecretInputs({ way, secrets, error, onChange }: Props) {
  const faults = memberFaults(error, 'Secrets')
  return (
    <>
      {way.secrets.map(({ name, label, hint, optional, kind }) => {
        const set = (value: string) => onChange({ ...secrets, [name]: value })
        const value = secrets[name] ?? ''
        return (
          <Field key={name} label={label} hint={hint} required={!optional} fault={faults[name]}>
            {(control) =>
              kind === 'lines' ? (
                <textarea
                  {...control}
                  {...UNSTORED}
                  className="mono"
                  placeholder="-----BEGIN PRIVATE KEY-----"
                  value={value}
                  onChange={(event) => set(event.target.value)}
                />
              ) : (
                <input {...control} {...UNSTORED} type={kind === 'open' ? 'text' : 'password'} value={value} onChange={(event) => set(event.target.value)} />
              )
            }
          </Field>
        )
      })}
      {isRefused(error) && <RefusalLine error={error} />}
    </>
  )
}

/** The secrets of the way that were entered. */
export const secretsFor = (way: Way, secrets: Secrets): Secrets =>
  Object.fromEntries(way.secrets.flatMap(({ name }) => (secrets[name]?.trim() ? [[name, secrets[name].trim()]] : [])))

export const isComplete = (way: Way, secrets: Secrets) => way.secrets.every(({ name, optional }) => optional || secrets[name]?.trim())
