import { BarController, BarElement, CategoryScale, Chart, type ChartConfiguration, LinearScale, type Plugin, Tooltip } from 'chart.js'
import { exactText, type FigureRow, type Figures, foldedRows, type Measure, shortText } from './figures.ts'
import { colourOf, type Inks } from './palette.ts'

// Only the parts in use are bundled.
Chart.register(BarController, BarElement, CategoryScale, LinearScale, Tooltip)

export type BarChart = Chart<'bar', number[], string>

export interface Drawing {
  readonly figures: Figures
  /** Which measure the bars show. */
  readonly shown: number
  /** Horizontal for categories, vertical for time. */
  readonly horizontal: boolean
  readonly dark: boolean
  readonly inks: Inks
  readonly onRow?: (row: FigureRow) => void
}

/** The rows that a drawing has bars for. */
export const barsOf = ({ figures, shown, horizontal }: Pick<Drawing, 'figures' | 'shown' | 'horizontal'>): readonly FigureRow[] =>
  horizontal ? foldedRows(figures.rows, shown) : figures.rows

export function dataOf(drawing: Drawing): ChartConfiguration<'bar', number[], string>['data'] {
  const { figures, shown, horizontal, dark } = drawing
  const bars = barsOf(drawing)
  return {
    labels: bars.map(({ label }) => label),
    datasets: figures.measures.flatMap(({ name, hue: own }, nth) => {
      if (!figures.together && nth !== shown) return []
      const longest = longestOf(bars, nth)
      return {
        label: name,
        data: bars.map(({ values, offScale }) => (offScale ? Math.min(values[nth] ?? 0, longest) : (values[nth] ?? 0))),
        backgroundColor: bars.map(({ hue, values }) => (values[nth] ? colourOf(own ?? hue, dark) : 'transparent')),
        borderRadius: 3,
        maxBarThickness: horizontal ? 26 : 44,
        categoryPercentage: 0.86,
        barPercentage: 0.86,
        // Small values stay visible.
        minBarLength: 2,
      }
    }),
  }
}

/** How far the axis reaches: to the largest value that is on its scale, or to the largest where none is. */
function longestOf(bars: readonly FigureRow[], measure: number): number {
  const onScale = bars.filter(({ offScale }) => !offScale)
  const largest = (rows: readonly FigureRow[]) => Math.max(0, ...rows.map(({ values }) => values[measure] ?? 0))
  return largest(onScale) || largest(bars)
}

/** The part of chart.js' axes that is used here. */
interface Axis {
  min: number
  max: number
  ticks: { value: number }[]
  readonly width: number
  readonly height: number
  readonly ctx: CanvasRenderingContext2D
}

const LONGEST_NAME = 20
const shortened = (text: string) => (text.length > LONGEST_NAME ? `${text.slice(0, LONGEST_NAME - 1)}…` : text)

/** The configuration reads the current drawing on each call, since the figures change while the chart lives. */
export function configOf(current: () => Drawing, { animate }: { readonly animate: boolean }): ChartConfiguration<'bar', number[], string> {
  const { horizontal, inks } = current()
  // Axes do not inherit the font of the chart.
  const font = { family: inks.font, size: 12 }
  let ends = { min: 0, max: 0 }
  const titleOf = (text: string) => ({ display: true, text, color: inks.soft, font: { ...font, size: 11 }, padding: 2 })
  const { figures, shown } = current()
  const names = {
    title: titleOf(figures.of),
    grid: { display: false },
    border: { color: inks.line },
    ticks: {
      color: inks.ink,
      font,
      autoSkip: !horizontal,
      maxRotation: 0,
      callback(value: string | number) {
        return shortened(barsOf(current())[Number(value)]?.label ?? '')
      },
    },
  }
  const measure = figures.measures[figures.together ? 0 : shown] as Measure
  const values = {
    title: titleOf(figures.together ? (measure.kind === 'money' ? 'Amount' : 'Count') : measure.name),
    beginAtZero: true,
    afterDataLimits({ min, max }: Axis) {
      ends = { min, max }
    },
    // The axis ends at the largest value plus room for its label, not at the next round number.
    afterBuildTicks(axis: Axis) {
      Object.assign(axis, withRoom(ends, horizontal ? axis.width : axis.height, horizontal ? widthOf(axis.ctx, current()) + 2 * BESIDE : HEIGHT))
      axis.ticks = axis.ticks.filter(({ value }) => value >= axis.min && value <= axis.max)
    },
    grid: { color: inks.line },
    border: { display: false },
    ticks: { color: inks.soft, font, precision: 0, maxTicksLimit: 5, callback: (value: string | number) => shortText(Number(value), measure) },
  }
  return {
    type: 'bar',
    data: dataOf(current()),
    options: {
      indexAxis: horizontal ? 'y' : 'x',
      maintainAspectRatio: false,
      animation: animate ? { duration: 250 } : false,
      font,
      interaction: { mode: 'index', intersect: false, axis: horizontal ? 'y' : 'x' },
      scales: horizontal ? { x: values, y: names } : { x: names, y: values },
      onHover(event, hovered) {
        const row = barsOf(current())[hovered[0]?.index ?? -1]
        if (event.native?.target instanceof HTMLElement) event.native.target.style.cursor = row?.to ? 'pointer' : 'default'
      },
      onClick(_, hit) {
        const row = barsOf(current())[hit[0]?.index ?? -1]
        if (row) current().onRow?.(row)
      },
      plugins: {
        tooltip: {
          backgroundColor: inks.ink,
          titleColor: inks.paper,
          bodyColor: inks.paper,
          padding: 10,
          displayColors: false,
          titleFont: font,
          bodyFont: font,
          callbacks: {
            title: ([item]) => barsOf(current())[item?.dataIndex ?? -1]?.label ?? '',
            // The first bar of a row speaks for all of them.
            label: ({ dataIndex, datasetIndex }) =>
              current()
                .figures.measures.slice(datasetIndex === 0 ? 0 : Number.POSITIVE_INFINITY)
                .map((one, i) => `${one.name}: ${exactText(barsOf(current())[dataIndex]?.values[i] ?? 0, one)}`),
          },
        },
      },
    },
    plugins: [valuesAtBars(current)],
  }
}

/** Longer labels are shortened. */
const LONGEST = 6
/** Pixels between a horizontal bar and its label, and the height of a label above a vertical bar. */
const BESIDE = 6
const HEIGHT = 20
const fontOf = ({ inks }: Drawing) => `600 11px ${inks.font}`

/** Extends an axis by room for labels at the ends that have bars. */
function withRoom({ min, max }: { min: number; max: number }, length: number, wanted: number): { min: number; max: number } {
  const room = Math.min(wanted, length / 3)
  const [below, above] = [min < 0 ? room : 0, max > 0 ? room : 0]
  const each = length > 0 ? (max - min) / (length - below - above) : 0
  return { min: min - below * each, max: max + above * each }
}

/** The labels of the bars; vertical bars of 0 have none. */
function valuesOf({ figures, shown, horizontal }: Drawing): string[] {
  const measure = figures.measures[shown] as Measure
  const bars = barsOf({ figures, shown, horizontal })
  const longest = longestOf(bars, shown)
  return bars.map(({ values, offScale }) => {
    const value = values[shown] ?? 0
    if (value === 0 && !horizontal) return ''
    const exact = exactText(value, measure)
    const text = measure.kind === 'money' || exact.length > LONGEST ? shortText(value, measure) : exact
    return offScale && value > longest ? `${text} »` : text
  })
}

/** The width of the widest label in pixels. */
function widthOf(ctx: CanvasRenderingContext2D, drawing: Drawing): number {
  ctx.save()
  ctx.font = fontOf(drawing)
  const widest = Math.max(0, ...valuesOf(drawing).map((text) => ctx.measureText(text).width))
  ctx.restore()
  return widest
}

/** Draws the labels at the ends of the bars, if there is room. */
function valuesAtBars(current: () => Drawing): Plugin<'bar'> {
  return {
    id: 'valuesAtBars',
    afterDatasetsDraw(chart) {
      const { horizontal, inks, shown, figures } = current()
      if (figures.together) return
      const bars = barsOf(current())
      const { ctx } = chart
      if (!horizontal && widthOf(ctx, current()) > chart.chartArea.width / Math.max(1, bars.length)) return
      const texts = valuesOf(current())
      ctx.save()
      ctx.font = fontOf(current())
      ctx.fillStyle = inks.ink
      ctx.textBaseline = horizontal ? 'middle' : 'bottom'
      for (const [i, bar] of chart.getDatasetMeta(0).data.entries()) {
        const isBelow = (bars[i]?.values[shown] ?? 0) < 0
        ctx.textAlign = !horizontal ? 'center' : isBelow ? 'right' : 'left'
        ctx.fillText(texts[i] ?? '', horizontal ? bar.x + (isBelow ? -BESIDE : BESIDE) : bar.x, horizontal ? bar.y : bar.y - 3)
      }
      ctx.restore()
    },
  }
}

export const createChart = (canvas: HTMLCanvasElement, config: ChartConfiguration<'bar', number[], string>): BarChart => new Chart(canvas, config)
