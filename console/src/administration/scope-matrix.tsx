import { OPERATIONS, TIERS } from 'crm-connector/contract'
import { type ReactNode, useId, useState } from 'react'
import { scopedTypeName, tierWords } from '../consent/scope-words.ts'
import { capital } from '../journal/change-filters.tsx'
import { Button, IconButton } from '../parts/button.tsx'
import { Field } from '../parts/field.tsx'
import { covers, isOfOperation, SCOPED, scopeOf } from './scopes.ts'
import './scope-matrix.css'

interface Props {
  readonly scopes: readonly string[]
  readonly onChange: (scopes: readonly string[]) => void
  /** Whether the caller and the user may have the scope. */
  readonly allowed: (scope: string) => boolean
  readonly fault: string | undefined
  readonly presets: ReactNode
}

/** Chooses scopes by tier and record type, and for single operations. */
export function ScopeMatrix({ scopes, onChange, allowed, fault, presets }: Props) {
  const toggle = (scope: string) => onChange(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope])
  const cell = (scope: string, label: string) => {
    const wider = !scopes.includes(scope) && covers(scopes, scope)
    return (
      <input
        type="checkbox"
        aria-label={label}
        title={allowed(scope) ? scope : `${scope}: you or the user may not do this`}
        checked={scopes.includes(scope) || wider}
        disabled={wider || !allowed(scope)}
        onChange={() => toggle(scope)}
      />
    )
  }
  return (
    <fieldset className="scopes">
      <legend>Scopes</legend>
      {fault && (
        <p className="field-fault" role="alert">
          {fault}
        </p>
      )}
      {presets}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className="table-scroll" aria-label="Scopes by record type" tabIndex={0}>
        <table className="scopes-table">
          <thead>
            <tr>
              <td />
              {TIERS.map((tier) => (
                <th key={tier} scope="col">
                  {tierWords(tier)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr className="scopes-all">
              <th scope="row">Everything</th>
              {TIERS.map((tier) => (
                <td key={tier}>{cell(tier, `${tierWords(tier)}, everything`)}</td>
              ))}
            </tr>
            {SCOPED.map(({ name, tiers }) => (
              <tr key={name}>
                <th scope="row">{capital(scopedTypeName(name))}</th>
                {TIERS.map((tier) => (
                  <td key={tier}>{tiers.has(tier) && cell(`${tier}:${name}`, `${tierWords(tier)}, ${scopedTypeName(name)}`)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <ByOperation scopes={scopes} onChange={onChange} allowed={allowed} />
    </fieldset>
  )
}

function ByOperation({ scopes, onChange, allowed }: Pick<Props, 'scopes' | 'onChange' | 'allowed'>) {
  const list = useId()
  const [typed, setTyped] = useState('')
  const scope = scopeOf(typed)
  const add = () => {
    if (!scope || !allowed(scope)) return
    if (!scopes.includes(scope)) onChange([...scopes, scope])
    setTyped('')
  }
  return (
    <>
      <Field
        label="Single operations"
        hint={scope && !allowed(scope) ? `You or the user may not do ${scope}.` : 'For a key that is limited to certain operations.'}
      >
        {(control) => (
          <div className="scopes-add">
            <input
              {...control}
              list={list}
              value={typed}
              placeholder="create_a_lead"
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return
                event.preventDefault()
                add()
              }}
            />
            <Button icon="plus" disabled={!scope || !allowed(scope)} onClick={add}>
              Add
            </Button>
            <datalist id={list}>
              {OPERATIONS.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </datalist>
          </div>
        )}
      </Field>
      {scopes.some(isOfOperation) && (
        <ul className="scopes-single">
          {scopes.filter(isOfOperation).map((one) => (
            <li key={one}>
              <code>{one}</code>
              <IconButton icon="close" small label={`Remove ${one}`} onClick={() => onChange(scopes.filter((other) => other !== one))} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
