import { isObject } from '../helpers/is-object.ts'
import { BATCH } from './batch.ts'
import { RECORD_TYPES } from './operations.ts'
import { words } from './record.ts'
import type { WaitingPlan } from './waiting-plan.ts'

/** What goes with the records of a plan, and what loses its reference to them, as sentences; none where nothing does. */
export function lossLines({ Operation, Preview: { Removed, WouldWrite } }: Pick<WaitingPlan, 'Operation' | 'Preview'>): string[] {
  const it = Operation === BATCH.id ? 'them' : 'it'
  const attached = counted(Removed, (list) => CHILDREN.find((child) => child.list === list)?.type)
  const emptied = counted(isObject(WouldWrite) ? WouldWrite.Emptied : undefined, (type) => type)
  return [
    ...(attached ? [`With ${it} ${isOne(Removed) ? 'goes' : 'go'} ${attached}.`] : []),
    ...(emptied ? [`The reference to ${it} is emptied in ${emptied}.`] : []),
  ]
}

const CHILDREN = RECORD_TYPES.flatMap(({ children }) => children)

const isOne = (counts: unknown) => Object.values(Object(counts)).join() === '1'

/** `{ Notes: 2, Campaigns: 1 }` as `2 notes and 1 membership`. */
function counted(counts: unknown, typeOf: (name: string) => string | undefined): string {
  const parts = Object.entries(isObject(counts) ? counts : {}).map(([name, count]) => countOf(typeOf(name) ?? name, Number(count)))
  return [...parts.slice(0, -2), parts.slice(-2).join(' and ')].join(', ')
}

/** `1 lead`, `2 opportunities`. */
export function countOf(name: string, count: number): string {
  const type = RECORD_TYPES.find((one) => one.name === name)
  return `${count} ${type ? words(count === 1 ? type.name : type.plural).toLowerCase() : name}`
}
