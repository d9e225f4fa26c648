import { nearest } from 'crm-connector/contract'
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import type { Control } from '../parts/field.tsx'
import { Floating } from '../parts/floating.tsx'
import { Icon } from '../parts/icon.tsx'
import { shownText } from '../parts/visible-text.ts'
import { Words } from '../parts/words.tsx'
import './choice-input.css'

interface Props {
  readonly control: Control
  /** The values in use. */
  readonly values: readonly string[]
  readonly value: unknown
  readonly maxLength: number | undefined
  /** Undefined when it was emptied, and while what is typed is none of the values. */
  readonly onChange: (value: string | undefined) => void
  readonly onFocus?: () => void
}

const UNKNOWN = 'Not one of the values. Choose one, or use it as a new value.'

/**
 * Picks one of the values in use. Another one has to be taken on purpose, so that a typing error does not become a value: with the mouse, or with the key End.
 * The arrows never reach it: they go over the values that match or, where none does, to the nearest one.
 */
export function ChoiceInput({ control, values, value, maxLength, onChange, onFocus }: Props) {
  const id = useId()
  const given = typeof value === 'string' ? value : ''
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(given)
  const [open, setOpen] = useState<'all' | 'matching'>()
  const [at, setAt] = useState(-1)
  const [taken, setTaken] = useState<readonly string[]>(given === '' ? [] : [given])
  const known = [...new Set([...values, ...taken])]
  const typed = text.trim()
  const exact = known.find((one) => one.toLowerCase() === typed.toLowerCase())
  const unknown = typed !== '' && exact === undefined
  const matching = matchesOf(typed, known)
  const near = unknown && matching.length === 0 ? nearest(typed, known) : []
  const shown = unknown || open === 'matching' ? [...matching, ...near] : known
  const count = shown.length + (unknown ? 1 : 0)
  /** What the input has was typed, and is not picked yet. */
  const isTyped = useRef(false)

  // The value was set from elsewhere.
  const passedOn = useRef(given)
  useEffect(() => {
    if (given === passedOn.current) return
    passedOn.current = given
    setText(given)
    if (given !== '') setTaken((all) => [...all, given])
  }, [given])
  useEffect(() => input.current?.setCustomValidity(unknown ? UNKNOWN : ''), [unknown])
  useEffect(() => {
    if (at >= 0) document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [at, id])

  const pass = (next: string) => {
    passedOn.current = next
    onChange(next === '' ? undefined : next)
  }
  // It was typed before it was known to be one of the values.
  useEffect(() => {
    if (exact === undefined || exact === given) return
    pass(exact)
    if (document.activeElement !== input.current) setText(exact)
  }, [exact])
  const close = () => {
    setOpen(undefined)
    setAt(-1)
  }
  const pick = (nth: number) => {
    const picked = shown[nth] ?? typed
    isTyped.current = false
    setTaken([...taken, picked])
    setText(picked)
    pass(picked)
    close()
  }
  const pickTyped = (known: string, field: HTMLInputElement) => {
    isTyped.current = false
    setText(known)
    field.select()
  }
  const type = (next: string) => {
    const same = known.find((one) => one.toLowerCase() === next.trim().toLowerCase())
    isTyped.current = true
    setText(next)
    pass(same ?? '')
    setOpen(same === undefined ? 'matching' : undefined)
    // The new value is never the one that Enter takes unasked.
    setAt(next.trim() !== '' && matchesOf(next.trim(), known).length > 0 ? 0 : -1)
  }
  const onKey = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return
    const { currentTarget: field } = event
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      if (!open) setOpen(unknown ? 'matching' : 'all')
      const first = exact === undefined ? 0 : known.indexOf(exact)
      // Down from the new value stays there.
      if (shown.length > 0) setAt(open ? Math.max(0, Math.min(Math.max(at, shown.length - 1), at + step)) : first)
    } else if (event.key === 'End' && open && unknown && isAtEnd(field)) setAt(count - 1)
    else if (event.key === 'Enter' && open && at >= 0 && at < count) pick(at)
    else if (event.key === 'Enter' && unknown) setOpen('matching')
    // Closes the list only: the form is not sent with a value that was not chosen.
    else if (event.key === 'Enter' && open && count > 0) close()
    // A dialog has more to it than this value, and is sent by the next Enter.
    else if (event.key === 'Enter' && exact !== undefined && isTyped.current && field.closest('dialog')) pickTyped(exact, field)
    else if (event.key === 'Escape' && open) close()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const faulty = unknown && !open
  return (
    <span className="choice-input">
      <input
        {...control}
        ref={input}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={open !== undefined}
        aria-controls={`${id}-list`}
        aria-activedescendant={open && at >= 0 ? `${id}-${at}` : undefined}
        aria-invalid={control['aria-invalid'] || faulty}
        aria-describedby={[faulty && `${id}-unknown`, control['aria-describedby'], `${id}-how`].filter(Boolean).join(' ')}
        autoComplete="off"
        maxLength={maxLength}
        value={text}
        onChange={(event) => type(event.target.value)}
        onFocus={onFocus}
        onClick={({ currentTarget }) => {
          // Typing replaces what was picked.
          if (!open && !unknown) currentTarget.select()
          setOpen(unknown ? 'matching' : 'all')
        }}
        onBlur={() => {
          close()
          isTyped.current = false
          if (exact !== undefined) setText(exact)
        }}
        onKeyDown={onKey}
      />
      <Icon name="down" size={14} />
      {open && count > 0 && (
        <Floating anchor={input}>
          <div id={`${id}-list`} role="listbox" aria-label="Values" className="choice-list">
            {shown.map((one, nth) => (
              <Option key={one} id={`${id}-${nth}`} active={nth === at} chosen={one === exact} onPick={() => pick(nth)} onHover={() => setAt(nth)}>
                <Words>{near.includes(one) ? `Did you mean ${shownText(one)}?` : shownText(one)}</Words>
              </Option>
            ))}
            {unknown && (
              <Option id={`${id}-${shown.length}`} active={at === shown.length} chosen={false} onPick={() => pick(shown.length)}>
                <Icon name="plus" size={14} /> Use “{typed}” as a new value
                <kbd>End</kbd>
              </Option>
            )}
          </div>
        </Floating>
      )}
      <span id={`${id}-how`} hidden>
        The End key takes what was typed as a new value.
      </span>
      {faulty && (
        <span className="field-fault" id={`${id}-unknown`} role="alert">
          {UNKNOWN}
        </span>
      )}
    </span>
  )
}

interface OptionProps {
  readonly id: string
  readonly active: boolean
  readonly chosen: boolean
  readonly onPick: () => void
  /** Where Enter may take what the mouse happens to rest on. */
  readonly onHover?: () => void
  readonly children: ReactNode
}

function Option({ id, active, chosen, onPick, onHover, children }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the focus and handles the keys.
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={chosen}
      className={active ? 'choice-active' : undefined}
      // The input keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onMouseMove={onHover}
      onClick={onPick}
    >
      {children}
    </div>
  )
}

const matchesOf = (typed: string, known: readonly string[]) => known.filter((one) => one.toLowerCase().includes(typed.toLowerCase()))

/** Whether End would not move the cursor. */
const isAtEnd = ({ selectionStart, value }: HTMLInputElement) => selectionStart === value.length

/** The input of the form that has an unknown value, which must not be sent. */
export const unknownChoice = (form: HTMLFormElement): HTMLElement | undefined =>
  [...form.querySelectorAll('input')].find(({ validity }) => validity.customError)
