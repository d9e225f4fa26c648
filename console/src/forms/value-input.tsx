import { useId, useState } from 'react'
import { usePeople } from '../data/people-names.ts'
import { isUser } from '../grid/cell.tsx'
import type { Control } from '../parts/field.tsx'
import { withPlainLines } from '../parts/visible-text.ts'
import { JsonInput } from './json-input.tsx'
import { ListInput } from './list-input.tsx'
import { boundedNumberIn, numberIn } from './typed-number.ts'
import type { ValueKind } from './value-kind.ts'
import './value-input.css'

interface Props {
  readonly control: Control
  readonly kind: ValueKind
  /** As in the API: null for no value, undefined for not given. */
  readonly value: unknown
  /** Undefined when the input was emptied. Text that does not fit the type is passed on, for the service to refuse. */
  readonly onChange: (value: unknown) => void
}

export function ValueInput({ control, kind, value, onChange }: Props) {
  const list = useId()
  const { people, owners, nameOf } = usePeople()
  const text = value === null || value === undefined ? '' : String(value)
  const set = (typed: string) => onChange(typed === '' ? undefined : typed)

  if (kind.Type === 'boolean')
    return (
      <select {...control} value={text} onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value === 'true')}>
        {!kind.Required && <option value="">—</option>}
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
    )
  if (kind.Type === 'choices')
    return <ListInput control={control} kind={kind} values={Array.isArray(value) ? value : []} onChange={(all) => onChange(all.length > 0 ? all : undefined)} />
  if (kind.Type === 'json') return <JsonInput control={control} value={value} onChange={onChange} />
  if (kind.AllowedValues) return <Choice control={control} values={kind.AllowedValues} text={text} set={set} />
  if (isUser(kind)) {
    const listed = kind.Name === 'OwnerID' ? owners : people
    const known = listed.some(({ UserID }) => UserID === text)
    return (
      <select {...control} value={text} onChange={(event) => set(event.target.value)}>
        <option value="">—</option>
        {!known && text !== '' && <option value={text}>{nameOf(text)}</option>}
        {listed.map(({ UserID, Name }) => (
          <option key={UserID} value={UserID}>
            {Name}
          </option>
        ))}
      </select>
    )
  }
  if (kind.Type === 'longText') return <LongText control={control} kind={kind} text={text} set={set} />
  if (kind.Type === 'timestamp')
    return <input {...control} type="datetime-local" step="1" value={localOf(text)} onChange={(event) => onChange(momentIn(event.target.value))} />
  if (['number', 'integer', 'money'].includes(kind.Type))
    return <NumberInput control={control} read={kind.Type === 'number' ? numberIn : boundedNumberIn} value={value} onChange={onChange} />
  return (
    <>
      <input
        {...control}
        type={kind.Type === 'date' ? 'date' : 'text'}
        inputMode={kind.Type === 'email' ? 'email' : kind.Type === 'phone' ? 'tel' : undefined}
        list={kind.SuggestedValues ? list : undefined}
        maxLength={kind.MaxLength ?? undefined}
        value={text}
        autoComplete="off"
        onChange={(event) => set(event.target.value)}
      />
      {kind.SuggestedValues && (
        <datalist id={list}>
          {kind.SuggestedValues.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** Shows what is typed for as long as it is the number: 1,500 does not become 1500 before it is 1,500,000. */
function NumberInput({ control, read, value, onChange }: Pick<Props, 'control' | 'value' | 'onChange'> & { readonly read: (typed: string) => unknown }) {
  const [typed, setTyped] = useState('')
  const isTyped = typed !== '' && read(typed) === value
  return (
    <input
      {...control}
      type="text"
      inputMode="decimal"
      value={isTyped ? typed : String(value ?? '')}
      autoComplete="off"
      onChange={(event) => {
        setTyped(event.target.value)
        onChange(read(event.target.value))
      }}
    />
  )
}

interface TextProps {
  readonly control: Control
  readonly text: string
  readonly set: (typed: string) => void
}

/** A text keeps its line ends, which a text area does not: what was typed and taken back is no change. */
function LongText({ control, kind, text, set }: TextProps & { readonly kind: ValueKind }) {
  const [before] = useState(text)
  const end = before.includes('\r\n') ? '\r\n' : '\n'
  return (
    <textarea
      {...control}
      className="value-text"
      rows={1}
      value={text}
      maxLength={kind.MaxLength ?? undefined}
      onChange={({ target: { value } }) => set(value === withPlainLines(before) ? before : value.replaceAll('\n', end))}
    />
  )
}

function Choice({ control, values, text, set }: TextProps & { readonly values: readonly string[] }) {
  return (
    <select {...control} value={text} onChange={(event) => set(event.target.value)}>
      <option value="">—</option>
      {!values.includes(text) && text !== '' && <option value={text}>{text}</option>}
      {values.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}

/** The timestamp of a local time; invalid text is passed on. */
function momentIn(typed: string): string | undefined {
  if (typed === '') return undefined
  const at = new Date(typed)
  return Number.isNaN(at.getTime()) ? typed : at.toISOString()
}

/** A timestamp as `datetime-local` takes it: local time without a zone. */
function localOf(iso: string): string {
  const at = new Date(iso)
  if (iso === '' || Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
