import { Button, IconButton } from '../parts/button.tsx'
import { memberFaults } from './faults.ts'

export type Options = readonly { readonly name: string; readonly value: string }[]

interface Props {
  readonly options: Options
  readonly error: unknown
  readonly onChange: (options: Options) => void
}

/** What is for one CRM alone, by name. */
export function OptionInputs({ options, error, onChange }: Props) {
  const faults = memberFaults(error, 'Options')
  const set = (index: number, changes: Partial<Options[number]>) => onChange(options.map((one, at) => (at === index ? { ...one, ...changes } : one)))
  return (
    <fieldset className="connect-options">
      <legend>Options</legend>
      {options.map(({ name, value }, index) => (
        <div key={index} className={faults[name] ? 'field-wrong' : undefined}>
          <input
            className="input"
            aria-label={`Name of option ${index + 1}`}
            placeholder="name"
            value={name}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set(index, { name: event.target.value })}
          />
          <input
            className="input"
            aria-label={`Value of option ${index + 1}`}
            aria-invalid={faults[name] !== undefined}
            placeholder="value"
            value={value}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => set(index, { value: event.target.value })}
          />
          <IconButton icon="close" label={`Remove option ${index + 1}`} onClick={() => onChange(options.filter((_, at) => at !== index))} />
          {faults[name] && (
            <p className="field-fault" role="alert">
              {faults[name]}
            </p>
          )}
        </div>
      ))}
      <Button small icon="plus" onClick={() => onChange([...options, { name: '', value: '' }])}>
        Add option
      </Button>
    </fieldset>
  )
}

export const optionsIn = (options: Options): { [name: string]: string } =>
  Object.fromEntries(options.filter(({ name }) => name.trim() !== '').map(({ name, value }) => [name.trim(), value.trim()]))
