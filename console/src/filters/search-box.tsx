import { useEffect, useRef, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import type { DescribedField } from '../session/session.ts'

interface Props {
  readonly many: string
  readonly fields: readonly DescribedField[]
  readonly text: string
  /** The field is undefined for any field. */
  readonly onSearch: (field: string | undefined, text: string) => void
}

const DEBOUNCE_MS = 250

export function SearchBox({ many, fields, text, onSearch }: Props) {
  const [typed, setTyped] = useState(text)
  const [field, setField] = useState<string>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const lastText = useRef(text)

  // The text of the address replaces the typed one only if it was changed from outside, for instance by Back.
  useEffect(() => {
    if (lastText.current !== text) {
      clearTimeout(timer.current)
      setTyped(text)
    }
    lastText.current = text
  }, [text])
  useEffect(() => () => clearTimeout(timer.current), [])

  const search = (by: string | undefined, what: string, after: number) => {
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      lastText.current = what
      onSearch(by, what)
    }, after)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: the element is too new for some browsers.
    <div className="search-box" role="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        aria-label={`Search ${many}`}
        placeholder={`Search ${many}`}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          search(field, event.target.value, DEBOUNCE_MS)
        }}
      />
      {fields.length > 1 && (
        <select
          aria-label="Search in"
          value={field ?? ''}
          onChange={(event) => {
            const by = event.target.value || undefined
            setField(by)
            search(by, typed, 0)
          }}
        >
          <option value="">Any field</option>
          {fields.map(({ Name, Label }) => (
            <option key={Name} value={Name}>
              {Label}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}
