import { lazy, type ReactNode, Suspense, useState } from 'react'
import { messageOf } from '../data/write.ts'
import { Button, IconButton } from '../parts/button.tsx'
import { Card } from '../parts/page.tsx'
import { fileName, saveFile } from '../parts/save-file.ts'
import { RefusalLine, Skeleton } from '../parts/states.tsx'
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
  /** What stands above it, where the choices below it say the rest. */
  readonly heading?: string
  /** Undefined until they are there. */
  readonly figures: Figures | undefined
  readonly error: unknown
  readonly reload: () => void
  /** Newer figures are on their way. */
  readonly loading: boolean
  readonly horizontal?: boolean
  /** What the figures are narrowed to, for the picture. */
  readonly about: string
  /** The measures that can be drawn, before the figures are there; the table has them all in any case. */
  readonly measures?: readonly Measure[]
  /** What is said, or can be chosen, below it. */
  readonly note?: ReactNode
  /** What the colours mean; a table has none. */
  readonly legend?: ReactNode
  /** What to say when every number is nothing. */
  readonly nothing: string
}

/** A chart with the table behind it, to be saved as picture or as CSV. It is as high before the figures come as it is after. */
export function ChartCard({ title, heading = title, figures, error, reload, loading, horizontal = false, about, measures, note, legend, nothing }: Props) {
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
      const said = [figures.measures[shown]?.name, about].filter(Boolean).join(' · ')
      saveFile(fileName(title, 'png'), await pictureOf({ figures, shown, horizontal, dark, inks: inksNow() }, title, said))
    } catch (error) {
      toast({ text: `No picture: ${messageOf(error)}`, bad: true })
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
          <p className="chart-nothing soft">{nothing}</p>
        ) : asTable ? (
          <FiguresTable title={title} figures={figures} />
        ) : (
          <Suspense fallback={<Skeleton height="100%" />}>
            <Bars title={title} figures={figures} shown={shown} horizontal={horizontal} />
          </Suspense>
        )}
      </div>
      {(note || legend) && (
        <div className="chart-note soft">
          {note}
          {!asTable && legend}
        </div>
      )}
    </Card>
  )
}
