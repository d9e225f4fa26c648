import { useCallback, useEffect, useRef, useState } from 'react'
import { go, useRoute } from '../routing/router.ts'
import { type Json, parseInput } from './form/json.ts'

/** Longer ones are not put into the address, which would become unwieldy. */
const LONGEST = 16_000
const PAUSE_MS = 250

export interface Input {
  readonly input: Json
  /** What the address has in the place of an input, where it cannot be read. */
  readonly unread?: string
}

function inputIn(given: string): Input {
  const { value } = parseInput(given)
  return value ? { input: value } : { input: {}, unread: given }
}

/** The input of an operation, kept in the address, so that a call can be shared; and taken from there when the address changes, which is told. */
export function useInput(id: string, onGiven: () => void): Input & { readonly change: (input: Json) => void } {
  const { path, query } = useRoute()
  const given = path[1] === id ? (query.get('input') ?? '') : undefined
  const [state, setState] = useState(() => inputIn(given ?? ''))
  const written = useRef(given ?? '')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const told = useRef(onGiven)
  told.current = onGiven

  useEffect(() => {
    if (given === undefined || given === written.current) return
    written.current = given
    clearTimeout(timer.current)
    setState(inputIn(given))
    told.current()
  }, [given])

  useEffect(() => () => clearTimeout(timer.current), [])

  const change = useCallback(
    (next: Json) => {
      setState({ input: next })
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        const text = Object.keys(next).length === 0 ? '' : JSON.stringify(next)
        const kept = text.length > LONGEST ? '' : text
        if (kept === written.current) return
        written.current = kept
        go(['operations', id], { input: kept || undefined }, { replace: true })
      }, PAUSE_MS)
    },
    [id],
  )
  return { ...state, change }
}
