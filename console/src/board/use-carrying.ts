import { type KeyboardEvent, useState } from 'react'
import { nameOf, type RecordSchema, type Row } from '../records/record-schema.ts'
import type { Column } from './columns.ts'
import { type State, stateIn } from './lanes.ts'

/** A card that was picked up, by the mouse or by the keyboard, and the column it would be dropped on. */
export interface Carried {
  readonly row: Row
  readonly from: State
  readonly over: State
  readonly by: 'mouse' | 'keyboard'
}

export interface Carrying {
  readonly carried: Carried | undefined
  /** What a screen reader says. */
  readonly spoken: string
  readonly drag: (row: Row) => void
  readonly dragOver: (column: Column) => boolean
  readonly drop: () => void
  readonly cancel: () => void
  /** Space picks up and drops, the arrows move, Escape cancels. Returns whether the key was one of them. */
  readonly onKey: (event: KeyboardEvent, row: Row) => boolean
}

const HOW = 'Left and right arrow keys choose a column, Space drops, Escape cancels.'

export function useCarrying(schema: RecordSchema, state: string, columns: readonly Column[], onDrop: (row: Row, to: string) => void): Carrying {
  const [carried, setCarried] = useState<Carried>()
  const [spoken, setSpoken] = useState('')
  const at = (over: State) => columns.findIndex((column) => column.state === over)
  const place = (over: State) => `${columns[at(over)]?.label}, column ${at(over) + 1} of ${columns.length}`

  const pickUp = (row: Row, by: Carried['by']) => {
    const from = stateIn(row, state)
    setCarried({ row, from, over: from, by })
    setSpoken(`${nameOf(schema, row)} picked up from ${place(from)}. ${HOW}`)
  }
  const cancel = () => {
    if (carried) setSpoken(`${nameOf(schema, carried.row)} stays in ${place(carried.from)}.`)
    setCarried(undefined)
  }
  const drop = () => {
    if (!carried || carried.over === carried.from || carried.over === null) return cancel()
    setSpoken(`${nameOf(schema, carried.row)} dropped on ${place(carried.over)}.`)
    setCarried(undefined)
    onDrop(carried.row, carried.over)
  }
  const moveBy = (step: 1 | -1) => {
    if (!carried) return
    for (let next = at(carried.over) + step; columns[next]; next += step) {
      const { state: over, takes } = columns[next] as Column
      if (!takes && over !== carried.from) continue
      setCarried({ ...carried, over })
      return setSpoken(`Over ${place(over)}.`)
    }
  }

  return {
    carried,
    spoken,
    drag: (row) => pickUp(row, 'mouse'),
    dragOver({ state: over, takes }) {
      if (!carried || (!takes && over !== carried.from)) return false
      if (over !== carried.over) setCarried({ ...carried, over })
      return true
    },
    drop,
    cancel,
    onKey({ key }, row) {
      if (key === ' ') carried ? drop() : pickUp(row, 'keyboard')
      else if (!carried) return false
      else if (key === 'Escape' || key === 'Tab') cancel()
      else if (key === 'ArrowRight') moveBy(1)
      else if (key === 'ArrowLeft') moveBy(-1)
      else return key.startsWith('Arrow') || key === 'Enter'
      return key !== 'Tab'
    },
  }
}
