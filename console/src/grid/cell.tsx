import { StateBadge } from '../parts/badge.tsx'
import { moneyText } from '../parts/money.ts'
import { dayText, momentText, numberText, Person, Time } from '../parts/values.tsx'
import { shownText, visibleText } from '../parts/visible-text.ts'
import { Words } from '../parts/words.tsx'
import type { DescribedField } from '../session/session.ts'

type ValueField = Pick<DescribedField, 'Name' | 'Type'> & { readonly RefersTo?: string | null }

const USERS: readonly string[] = ['OwnerID', 'UserID', 'ManagerID', 'AuthorID', 'DecidedBy']

/** Whether a field holds a user id. */
export const isUser = ({ Name, RefersTo }: Pick<ValueField, 'Name' | 'RefersTo'>): boolean => RefersTo === 'User' || USERS.includes(Name)

const NUMBERS: readonly string[] = ['number', 'integer', 'money']

export const isNumber = ({ Type }: Pick<DescribedField, 'Type'>): boolean => NUMBERS.includes(Type)

/** A formatted value. Values that do not fit their type are shown as they are. */
export function Value({ field, value, long = false }: { readonly field: ValueField; readonly value: unknown; readonly long?: boolean }) {
  if (value === null || value === undefined || value === '') return <span className="soft">—</span>
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (typeof value === 'number') return field.Type === 'money' ? moneyText(value) : numberText(value)
  if (isTexts(value)) return <Words>{value.map(shownText).join(', ')}</Words>
  if (typeof value !== 'string') return <span className="mono">{visibleText(JSON.stringify(value))}</span>
  if (isUser(field)) return <Person id={value} />
  if (field.Type === 'choice') return <StateBadge value={value} />
  if (field.Type === 'date' && isDay(value)) return dayText(value)
  if (field.Type === 'timestamp' && !Number.isNaN(Date.parse(value))) return long ? <Moment at={value} /> : <Time at={value} />
  if (long && field.Type === 'email' && value.includes('@'))
    return (
      <a href={`mailto:${encodeURIComponent(value).replace('%40', '@')}`}>
        <Words breaks>{visibleText(value)}</Words>
      </a>
    )
  if (long && field.Type === 'phone' && /^[+\d][\d\s()./-]+$/.test(value)) return <a href={`tel:${value.replace(/[^\d+]/g, '')}`}>{value}</a>
  if (field.Type === 'id') return <span className="mono">{visibleText(value)}</span>
  return <Words breaks={long}>{shownText(value)}</Words>
}

function Moment({ at }: { readonly at: string }) {
  return (
    <>
      {momentText(at)}{' '}
      <span className="soft">
        (<Time at={at} />)
      </span>
    </>
  )
}

const isTexts = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === 'string')

const isDay = (value: string) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))

/** The same as plain text. */
export function textOf(field: ValueField | undefined, value: unknown, nameOfUser: (id: string) => string): string {
  if (value === null || value === undefined) return 'empty'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.map((one) => textOf(field, one, nameOfUser)).join(', ')
  if (typeof value === 'number') return field?.Type === 'money' ? moneyText(value) : numberText(value)
  if (typeof value !== 'string') return visibleText(JSON.stringify(value))
  if (field && isUser(field)) return nameOfUser(value)
  if ((field?.Type === 'date' || field?.Type === 'timestamp') && isDay(value)) return dayText(value)
  if (field?.Type === 'timestamp' && !Number.isNaN(Date.parse(value))) return momentText(value)
  return shownText(value)
}
