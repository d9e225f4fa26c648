import { LIMITS } from 'crm-connector/contract'
import type { ReactNode } from 'react'
import type { FigureRow } from '../charts/figures.ts'
import { compactText, moneyText, numberText, relativeText } from '../parts/values.tsx'
import { Link } from '../routing/link.tsx'
import { type Categories, openStates } from './categories.ts'
import { dayAfter, type PageFilter, recordsAt } from './page-filter.ts'
import { RecordLink } from './record-link.tsx'
import type { Summaries } from './summaries.ts'
import './headline.css'

interface Tile {
  readonly label: string
  /** Undefined while it loads, null where there is no figure. */
  readonly value: number | null | undefined
  readonly text: (value: number) => string
  readonly about?: ReactNode
  readonly to?: FigureRow['to'] | undefined
  readonly tone?: 'warn'
}

const WHOLE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 })
const LONGEST = 9

/** A short form of the amount; the tooltip has the exact one. */
function amountText(value: number): string {
  const whole = Math.abs(value) < 1000 ? moneyText(value) : WHOLE.format(value)
  return whole.length <= LONGEST ? whole : compactText(value)
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
    <section className="overview-tiles" aria-label="Headline figures" aria-busy={[props.leads, props.opportunities, props.cases].some((one) => one?.loading)}>
      <div>
        {tiles.map((tile) => (
          <TileBox key={tile.label} {...tile} />
        ))}
      </div>
    </section>
  )
}

function dealTiles({ opportunities, stages, filter, today }: Props): Tile[] {
  if (!opportunities) return []
  const { Open, Won, Lost, WinRate, Overdue, ClosingSoon } = opportunities.answer ?? {}
  const whereOf = (kind: string) => stages && { in: [...stages].filter((stage) => stage[1] === kind).map(([stage]) => stage) }
  const at = (where: { Stage: unknown; CloseDate?: unknown }, order?: string) => (where.Stage ? recordsAt('Opportunity', filter, where, order) : undefined)
  const open = stages && { in: openStates(stages) }
  const soon = { gte: today, lte: dayAfter(today, LIMITS.closingSoonDays) }
  return [
    {
      label: 'Open pipeline',
      value: Open?.Amount,
      text: amountText,
      about: counted(Open?.Count, 'opportunity', 'opportunities'),
      to: at({ Stage: open }, 'Amount desc'),
    },
    { label: 'Won', value: Won?.Amount, text: amountText, about: counted(Won?.Count, 'opportunity', 'opportunities'), to: at({ Stage: whereOf('won') }) },
    { label: 'Win rate', value: WinRate, text: percentText, about: Won && Lost && `${numberText(Won.Count)} won, ${numberText(Lost.Count)} lost` },
    {
      label: 'Overdue',
      value: Overdue?.Count,
      text: numberText,
      about: Overdue && `${compactText(Overdue.Amount)} in all`,
      to: at({ Stage: open, CloseDate: { lt: today } }, 'CloseDate asc'),
      ...(Overdue && Overdue.Count > 0 && { tone: 'warn' }),
    },
    {
      label: 'Closing soon',
      value: ClosingSoon?.Count,
      text: numberText,
      about: ClosingSoon && `${compactText(ClosingSoon.Amount)} in ${LIMITS.closingSoonDays} days`,
      to: at({ Stage: open, CloseDate: soon }, 'CloseDate asc'),
    },
  ]
}

function leadTiles({ leads, filter, today }: Props): Tile[] {
  if (!leads) return []
  const { Total, ByMonth } = leads.answer ?? {}
  const month = ByMonth && (ByMonth.find(({ Month }) => Month === today.slice(0, 7))?.Count ?? 0)
  return [{ label: 'Leads', value: Total, text: numberText, about: month !== undefined && `${numberText(month)} this month`, to: recordsAt('Lead', filter) }]
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

function TileBox({ label, value, text, about, to, tone }: Tile) {
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
      <p className="tile-figure" title={typeof value === 'number' ? numberText(value) : undefined}>
        {figure}
      </p>
      <p className="tile-about soft">{about || ' '}</p>
    </div>
  )
}
