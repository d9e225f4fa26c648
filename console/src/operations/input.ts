import { useCallback, useEffect, useRef, useState } from 'react'
import { go, useRoute } from '../routing/router.ts'
import { type Json, parseInput } from './form/json.ts'

/** Longer inputs are not kept in the address. */
const MAX_LENGTH = 16_000
const DEBOUNCE_MS = 250

export interface Input {
  readonly input: Json
  /** The text in the address, if it cannot be read as an input. */
  readonly unread?: string
}

function inputIn(fromAddress: string): Input {
  const { value } = parseInput(fromAddress)
  return value ? { input: value } : { input: {}, unread: fromAddress }
}

/** The input of an operation, kept in the address so that a call can be shared. Calls `onGiven` when the address brings another one. */
export function useInput(id: string, onGiven: () => void): Input & { readonly change: (input: Json) => void } {
  const { path, query } = useRoute()
  const fromAddress = path[1] === id ? (query.get('input') ?? '') : undefined
  const [state, setState] = useState(() => inputIn(fromAddress ?? ''))
  const lastWritten = useRef(fromAddress ?? '')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const onGivenRef = useRef(onGiven)
  onGivenRef.current = onGiven

  useEffect(() => {
    if (fromAddress === undefined || fromAddress === lastWritten.current) return
    lastWritten.current = fromAddress
    clearTimeout(timer.current)
    setState(inputIn(fromAddress))
    onGivenRef.current()
  }, [fromAddress])

  useEffect(() => () => clearTimeout(timer.current), [])

  const change = useCallback(
    (next: Json) => {
      setState({ input: next })
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        const text = Object.keys(next).length === 0 ? '' : JSON.stringify(next)
        const stored = text.length > MAX_LENGTH ? '' : text
        if (stored === lastWritten.current) return
        lastWritten.current = stored
        go(['operations', id], { input: stored || undefined }, { replace: true })
      }, DEBOUNCE_MS)
    },
    [id],
  )
  return { ...state, change }
}
