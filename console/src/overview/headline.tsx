import { LIMITS } from 'crm-connector/contract'
import type { ReactNode } from 'react'
import type { FigureRow } from '../charts/figures.ts'
import { dayAfter } from '../filters/days.ts'
import { Icon } from '../parts/icon.tsx'
import { compactMoneyText, moneyText, wholeMoneyText } from '../parts/money.ts'
import { numberText, relativeText } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { type Categories, openStates } from './categories.ts'
import { createdIn, type PageFilter, recordsAt } from './page-filter.ts'
import { RecordLink } from './record-link.tsx'
import type { Summaries } from './summaries.ts'
import './headline.css'

interface Tile {
  readonly label: string
  /** Undefined while it loads, null where there is no figure. */
  readonly value: number | null | undefined
  readonly text: (value: number) => string
  /** For the tooltip, where `text` is a short form. */
  readonly exact?: (value: number) => string
  readonly about?: ReactNode
  readonly to?: FigureRow['to'] | undefined
  readonly tone?: 'warn'
  /** The same figure in the period before. */
  readonly before?: number | null | undefined
  /** How far it is from that one, without a sign; a share unless given. */
  readonly difference?: (value: number, before: number, text: Tile['text']) => string
}

const LONGEST = 9

/** A short form of the amount; the tooltip has the exact one. */
function amountText(value: number): string {
  const whole = Math.abs(value) < 1000 ? moneyText(value) : wholeMoneyText(value)
  return whole.length <= LONGEST ? whole : compactMoneyText(value)
}

/** From here on a difference is short as a factor, and long in percent. */
const MANY_TIMES = 3

function shareText(value: number, before: number, text: Tile['text']): string {
  if (before === 0) return `from ${text(0)}`
  const times = value / before
  return times >= MANY_TIMES ? `${numberText(Math.round(times * 10) / 10)}×` : `${numberText(Math.round(Math.abs(times - 1) * 100))} %`
}

/** Rates differ by points: 7 % more than 35 % would be read as 42 %. */
function pointsText(value: number, before: number): string {
  const points = Math.round(Math.abs(value - before) * 1000) / 10
  return `${numberText(points)} ${points === 1 ? 'point' : 'points'}`
}

const percentText = (value: number) => `${numberText(Math.round(value * 1000) / 10)} %`
const counted = (count: number | undefined, one: string, many: string) => count !== undefined && `${numberText(count)} ${count === 1 ? one : many}`

interface Props extends Summaries {
  readonly filter: PageFilter
  readonly today: string
  readonly stages: Categories | undefined
  readonly statuses: Categories | undefined
}

export function Headline(props: Props) {
  const tiles = [...dealTiles(props), ...leadTiles(props), ...caseTiles(props)]
  if (tiles.length === 0) return null
  return (
    <section
      className="overview-tiles"
      aria-label="Headline figures"
      aria-busy={[props.leads, props.opportunities, props.closed, props.cases].some((one) => one?.loading)}
    >
      <div>
        {tiles.map((tile) => (
          <TileBox key={tile.label} {...tile} />
        ))}
      </div>
    </section>
  )
}

function dealTiles({ opportunities, closed = opportunities, before, stages, filter, today }: Props): Tile[] {
  if (!opportunities) return []
  const { Open, Overdue, ClosingSoon } = opportunities.answer ?? {}
  const { Won, Lost, WinRate } = closed?.answer ?? {}
  const won = stages && { in: [...stages].filter(([, kind]) => kind === 'won').map(([stage]) => stage) }
  const at = (where: { Stage: unknown; CloseDate?: unknown }, order?: string) => (where.Stage ? recordsAt('Opportunity', filter, where, order) : undefined)
  const open = stages && { in: openStates(stages) }
  const soon = { gte: today, lte: dayAfter(today, LIMITS.closingSoonDays) }
  return [
    {
      label: 'Open pipeline',
      value: Open?.Amount,
      text: amountText,
      exact: moneyText,
      about: counted(Open?.Count, 'deal', 'deals'),
      to: at({ Stage: open }, 'Amount desc'),
    },
    {
      label: 'Won',
      value: Won?.Amount,
      text: amountText,
      exact: moneyText,
      about: Won && `${counted(Won.Count, 'deal', 'deals')}${filter.closed ? ' closed' : ''}`,
      to: won && recordsAt('Opportunity', filter, { Stage: won, ...(filter.closed && { CloseDate: filter.closed }) }),
      before: before?.closed?.Won.Amount,
    },
    {
      label: 'Win rate',
      value: WinRate,
      text: percentText,
      about: Won && Lost && `${numberText(Won.Count)} won, ${numberText(Lost.Count)} lost`,
      before: before?.closed?.WinRate,
      difference: pointsText,
    },
    {
      label: 'Overdue',
      value: Overdue?.Count,
      text: numberText,
      about: Overdue && `deals · ${compactMoneyText(Overdue.Amount)}`,
      to: at({ Stage: open, CloseDate: { lt: today } }, 'CloseDate asc'),
      ...(Overdue && Overdue.Count > 0 && { tone: 'warn' }),
    },
    {
      label: 'Closing soon',
      value: ClosingSoon?.Count,
      text: numberText,
      about: ClosingSoon && `${compactMoneyText(ClosingSoon.Amount)} in ${LIMITS.closingSoonDays} days`,
      to: at({ Stage: open, CloseDate: soon }, 'CloseDate asc'),
    },
  ]
}

function leadTiles({ leads, before, filter, today }: Props): Tile[] {
  if (!leads) return []
  const { Total, ByMonth } = leads.answer ?? {}
  const countIn = (month: string) => numberText(ByMonth?.find(({ Month }) => Month === month)?.Count ?? 0)
  const [now, last] = [today.slice(0, 7), dayAfter(`${today.slice(0, 7)}-01`, -1).slice(0, 7)]
  const about = filter.created ? 'created' : ByMonth && `${countIn(now)} this month, ${countIn(last)} last`
  return [{ label: 'Leads', value: Total, text: numberText, about, to: recordsAt('Lead', filter, createdIn(filter)), before: before?.leads?.Total }]
}

function caseTiles({ cases, statuses, filter }: Props): Tile[] {
  if (!cases) return []
  const { Open, OldestOpen } = cases.answer?.summary ?? {}
  const oldest = OldestOpen ? (
    <>
      oldest{' '}
      <RecordLink type="Case" id={OldestOpen.CaseID} mayRead={filter.mayRead} className="tile-about-link">
        {relativeText(OldestOpen.CreatedDate, 'short')}
      </RecordLink>
    </>
  ) : (
    Open && 'none open'
  )
  const to = statuses && recordsAt('Case', filter, { Status: { in: openStates(statuses) } }, 'CreatedDate asc')
  return [{ label: 'Open cases', value: Open?.Count, text: numberText, about: oldest, to }]
}

function TileBox({ label, value, text, exact = numberText, about, to, tone, before, difference = shareText }: Tile) {
  const figure = value === undefined || value === null ? <span className="soft">—</span> : <data value={value}>{text(value)}</data>
  return (
    <div className={`tile${tone ? ` tile-${tone}` : ''}`}>
      <h2>
        {to ? (
          <Link to={to.path} query={to.query} className="tile-link">
            {label}
          </Link>
        ) : (
          label
        )}
      </h2>
      <p className="tile-figure" title={typeof value === 'number' ? exact(value) : undefined}>
        {figure}
        {typeof value === 'number' && typeof before === 'number' && <Change value={value} before={before} text={text} difference={difference} />}
      </p>
      <p className="tile-about soft">{about || ' '}</p>
    </div>
  )
}

interface ChangeProps extends Required<Pick<Tile, 'text' | 'difference'>> {
  readonly value: number
  readonly before: number
}

/** The change against the period before. */
function Change({ value, before, text, difference }: ChangeProps) {
  if (value === before) return null
  const rises = value > before
  return (
    <small className={`tile-change ${rises ? 'tile-better' : 'tile-worse'}`} title={`${text(before)} in the period before`}>
      <Icon name={rises ? 'up' : 'down'} size={12} />
      <span className="seen-by-readers">{rises ? 'up' : 'down'}</span> {difference(value, before, text)}
      <span className="seen-by-readers"> against the period before</span>
    </small>
  )
}
