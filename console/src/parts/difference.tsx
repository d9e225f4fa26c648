import { type ReactNode, useState } from 'react'
import { fieldOf, labelOf } from '../data/field-names.ts'
import { isObject } from '../data/is-object.ts'
import { usePeople } from '../data/people-names.ts'
import { useRecordNames } from '../data/record-names.ts'
import { textOf as textOfValue } from '../grid/cell.tsx'
import { Icon } from './icon.tsx'
import { shownText, visibleText } from './visible-text.ts'
import { wordDiff } from './word-diff.ts'
import { Words } from './words.tsx'
import './difference.css'
import { Nothing } from './states.tsx'

type Image = { readonly [field: string]: unknown } | null | undefined

export interface Differing {
  /** The name of the field, or its path in nested objects: `Values.HullLength`. */
  readonly field: string
  readonly from: unknown
  readonly to: unknown
}

/** The fields that differ between two images of a record. */
export function differenceOf(before: Image, after: Image): Differing[] {
  const [was, is] = [flat(before), flat(after)]
  return [...new Set([...was.keys(), ...is.keys()])]
    .map((field) => ({ field, from: was.get(field), to: is.get(field) }))
    .filter(({ from, to }) => JSON.stringify(from ?? null) !== JSON.stringify(to ?? null))
}

function flat(image: Image, path = '', into = new Map<string, unknown>()): Map<string, unknown> {
  for (const [name, value] of Object.entries(image ?? {})) {
    if (isObject(value)) flat(value, `${path}${name}.`, into)
    else into.set(path + name, value)
  }
  return into
}

interface Props {
  readonly before: Image
  readonly after: Image
  /** What was to be written in place of `after`, by field. */
  readonly mine?: Image
  /** Values are shown as its fields show them. */
  readonly recordType?: string
  /** Fields to leave out. */
  readonly ignore?: readonly string[]
  /** Labels of fields that are not in the contract. */
  readonly labels?: { readonly [field: string]: string }
}

const ALWAYS = ['Revision', 'UpdatedDate']

/** The old and new values of each changed field, and those of `mine`. */
export function Difference({ before, after, mine, recordType, ignore = ALWAYS, labels = {} }: Props) {
  const own = flat(mine)
  const changed = differenceOf(before, after)
  const others = [...own.keys()]
    .filter((name) => !changed.some(({ field }) => field === name))
    .map((field): Differing => ({ field, from: undefined, to: undefined }))
  const rows = [...changed, ...others].filter(({ field }) => !ignore.includes(field))
  if (rows.length === 0) return <Nothing>No changes.</Nothing>
  return (
    <dl className="difference">
      {rows.map((row) => {
        const length = lengthOf(row.from) + lengthOf(row.to) + lengthOf(own.get(row.field))
        const values = (
          <>
            {!others.includes(row) && <Values {...row} recordType={recordType} whole={!before || !after} />}
            {own.has(row.field) && <Own field={row.field} value={own.get(row.field)} recordType={recordType} />}
          </>
        )
        return (
          <div key={row.field} className={length > LONG ? 'difference-long' : undefined}>
            <dt title={row.field}>{labels[row.field] ?? labelOf(row.field, recordType)}</dt>
            <dd>{length > FOLDED ? <Folded>{values}</Folded> : values}</dd>
          </div>
        )
      })}
    </dl>
  )
}

/** From this length on, texts are compared word by word and shown below their label. */
const LONG = 60
/** From this length on, texts are folded. */
const FOLDED = 280

const lengthOf = (value: unknown) => (isNothing(value) ? 0 : textOf(value).length)

function Folded({ children }: { readonly children: ReactNode }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <div className={open ? undefined : 'difference-folded'}>{children}</div>
      <button type="button" className="difference-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? 'Show less' : 'Show all'}
      </button>
    </>
  )
}

/** How the values of a field are shown. */
function useTextOf(field: string, recordType: string | undefined): (value: unknown) => string {
  const { nameOf } = usePeople()
  const nameOfRecord = useRecordNames()
  const known = recordType === undefined ? undefined : fieldOf(field, recordType)
  return (value) => {
    if (typeof value === 'string' && IS_USER.test(field)) return nameOf(value)
    if (typeof value === 'string' && known?.RefersTo) return nameOfRecord(known.RefersTo, value) ?? `…${value.slice(-6)}`
    return known && FORMATTED.includes(known.Type) ? textOfValue(known, value, nameOf) : textOf(value)
  }
}

function Own({ field, value, recordType }: { readonly field: string; readonly value: unknown; readonly recordType: string | undefined }) {
  const text = useTextOf(field, recordType)
  return (
    <div className="difference-mine">
      <span className="soft">Yours:</span>{' '}
      {isNothing(value) ? (
        <span className="soft">cleared</span>
      ) : (
        <ins>
          <Words>{text(value)}</Words>
        </ins>
      )}
    </div>
  )
}

function Values({ field, from, to, recordType, whole }: Differing & { readonly recordType: string | undefined; readonly whole: boolean }) {
  const text = useTextOf(field, recordType)
  if (typeof from === 'string' && typeof to === 'string' && Math.min(from.length, to.length) > LONG) return <WordDiff from={from} to={to} />
  const [was, is] = [isNothing(from) ? undefined : text(from), isNothing(to) ? undefined : text(to)]
  return (
    <>
      {was !== undefined && (
        <del>
          <Words>{was}</Words>
        </del>
      )}
      {was !== undefined && is !== undefined && (
        <span className="difference-arrow">
          <Icon name="right" size={14} />
        </span>
      )}
      {is !== undefined && (
        <ins>
          <Words>{is}</Words>
        </ins>
      )}
      {is === undefined && !whole && <span className="soft"> cleared</span>}
    </>
  )
}

const TAGS = { same: 'span', removed: 'del', added: 'ins' } as const

function WordDiff({ from, to }: { readonly from: string; readonly to: string }) {
  return (
    <>
      {wordDiff(visibleText(from), visibleText(to)).map(({ kind, text }, place) => {
        const Tag = TAGS[kind]
        return (
          <Tag key={place}>
            <Words>{text}</Words>
          </Tag>
        )
      })}
    </>
  )
}

const FORMATTED: readonly string[] = ['money', 'number', 'integer', 'date', 'timestamp']

/** Fields that hold a user id. */
const IS_USER = /^(OwnerID|UserID|ManagerID|AuthorID|DecidedBy)$/

const isNothing = (value: unknown) => value === undefined || value === null

function textOf(value: unknown): string {
  if (typeof value === 'string') return shownText(value)
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  const simple = Array.isArray(value) && value.every((one) => typeof one === 'string' || typeof one === 'number')
  return visibleText(simple ? value.join(', ') : JSON.stringify(value))
}
