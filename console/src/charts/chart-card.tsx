import { lazy, type ReactNode, Suspense, useState } from 'react'
import { messageOf } from '../data/write.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Card } from '../parts/page.tsx'
import { fileName, saveFile } from '../parts/save-file.ts'
import { Nothing, RefusalLine, Skeleton } from '../parts/states.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { useToast } from '../parts/toasts.tsx'
import { useDark } from '../shell/theme.ts'
import { csvOf, type Figures, type Measure } from './figures.ts'
import { FiguresTable } from './figures-table.tsx'
import { inksNow } from './palette.ts'
import './chart-card.css'

const Bars = lazy(async () => ({ default: (await import('./bars.tsx')).Bars }))

interface Props {
  readonly title: string
  /** A shorter title for the card. */
  readonly heading?: string
  /** Undefined while they load. */
  readonly figures: Figures | undefined
  readonly error: unknown
  readonly reload: () => void
  readonly loading: boolean
  readonly horizontal?: boolean
  /** Whose figures they are, for the picture. */
  readonly about: string
  /** What limits the figures, where something does. */
  readonly basis?: string | undefined
  /** The measures to choose from, known before the figures are loaded. */
  readonly measures?: readonly Measure[]
  /** Shown below the chart. */
  readonly note?: ReactNode
  /** The meaning of the colours; not shown with the table. */
  readonly legend?: ReactNode
  /** The text in place of the chart if all figures are 0. */
  readonly nothing: string
}

/** A chart with its table, to save as a picture or CSV. It has the same height while it loads. */
export function ChartCard({
  title,
  heading = title,
  figures,
  error,
  reload,
  loading,
  horizontal = false,
  about,
  basis,
  measures,
  note,
  legend,
  nothing,
}: Props) {
  const [asTable, setAsTable] = useState(false)
  const [measure, setMeasure] = useState(0)
  const dark = useDark()
  const toast = useToast()
  const shown = figures && measure < figures.measures.length ? measure : 0
  const savable = figures !== undefined && figures.rows.length > 0

  const savePicture = async () => {
    if (!figures) return
    try {
      const { pictureOf } = await import('./picture.ts')
      const caption = [figures.measures[shown]?.name, about, basis ?? 'All time'].filter(Boolean).join(' · ')
      saveFile(fileName(title, 'png'), await pictureOf({ figures, shown, horizontal, dark, inks: inksNow() }, title, caption))
    } catch (error) {
      toast({ text: `Picture not saved: ${messageOf(error)}`, bad: true })
    }
  }

  const acts = (
    <>
      {measures && (
        <Tabs
          label={`${title} by`}
          tabs={measures.map(({ name }, i) => ({ id: String(i), label: name }))}
          shown={String(shown)}
          onShow={(id) => setMeasure(Number(id))}
        />
      )}
      <div className="chart-tools">
        <IconButton
          icon={asTable ? 'chart' : 'table'}
          label={asTable ? 'Show as chart' : 'Show as table'}
          small
          disabled={!savable}
          onClick={() => setAsTable(!asTable)}
        />
        <IconButton icon="picture" label="Save as picture" small disabled={!savable} onClick={() => void savePicture()} />
        <IconButton
          icon="download"
          label="Save as CSV"
          small
          disabled={!savable}
          onClick={() => figures && saveFile(fileName(title, 'csv'), new Blob([csvOf(figures)], { type: 'text/csv;charset=utf-8' }))}
        />
      </div>
    </>
  )

  return (
    <Card title={heading} acts={acts}>
      <div className={`chart-body${loading && figures ? ' chart-stale' : ''}`} aria-busy={loading}>
        {error !== undefined ? (
          <div className="chart-fault">
            <RefusalLine error={error} />
            <Button small icon="reload" onClick={reload}>
              Try again
            </Button>
          </div>
        ) : !figures ? (
          <Skeleton height="100%" />
        ) : figures.rows.every(({ values }) => values.every((value) => value === 0)) ? (
          <Nothing whole>{nothing}</Nothing>
        ) : asTable ? (
          <FiguresTable title={title} figures={figures} />
        ) : (
          <Suspense fallback={<Skeleton height="100%" />}>
            <Bars title={title} figures={figures} shown={shown} horizontal={horizontal} />
          </Suspense>
        )}
      </div>
      {(basis || note || legend) && (
        <div className="chart-note soft">
          {basis && <p>{basis}</p>}
          {note}
          {!asTable && legend}
        </div>
      )}
    </Card>
  )
}
