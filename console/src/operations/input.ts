import { useCallback, useEffect, useRef, useState } from 'react'
import { go, useRoute } from '../routing/router.ts'
import { type Json, parseInput } from './form/json.ts'

/** Longer ones are not put into the address, which would become unwieldy. */
const LONGEST = 16_000
const PAUSE_MS = 250

/** The input of an operation, kept in the address, so that a call can be shared; and taken from there when the address changes. */
export function useInput(id: string): readonly [Json, (input: Json) => void] {
  const { path, query } = useRoute()
  const given = path[1] === id ? (query.get('input') ?? '') : undefined
  const [input, setInput] = useState<Json>(() => parseInput(given ?? '').value ?? {})
  const written = useRef(given ?? '')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    if (given === undefined || given === written.current) return
    written.current = given
    clearTimeout(timer.current)
    setInput(parseInput(given).value ?? {})
  }, [given])

  useEffect(() => () => clearTimeout(timer.current), [])

  const change = useCallback(
    (next: Json) => {
      setInput(next)
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
  return [input, change]
}
