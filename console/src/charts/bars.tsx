import { useEffect, useRef } from 'react'
import { go } from '../routing/router.ts'
import { useDark } from '../shell/theme.ts'
import { type BarChart, configOf, createChart, type Drawing, dataOf } from './engine.ts'
import { type Figures, spokenFigures } from './figures.ts'
import { inksNow } from './palette.ts'

interface Props {
  readonly title: string
  readonly figures: Figures
  readonly shown: number
  readonly horizontal: boolean
}

const calm = window.matchMedia('(prefers-reduced-motion: reduce)')

/** A bar chart that follows its figures and the theme; a click on a bar opens its records. */
export function Bars({ title, figures, shown, horizontal }: Props) {
  const dark = useDark()
  const canvas = useRef<HTMLCanvasElement>(null)
  const chart = useRef<BarChart>(null)
  const current = useRef<Drawing>(null)
  const asked = JSON.stringify([figures, shown])
  const drawn = useRef('')
  current.current = { figures, shown, horizontal, dark, inks: inksNow(), onRow: ({ to }) => to && go(to.path, to.query) }

  useEffect(() => {
    if (!canvas.current) return
    const made = createChart(
      canvas.current,
      configOf(() => current.current as Drawing, { animate: !calm.matches }),
    )
    chart.current = made
    drawn.current = JSON.stringify([current.current?.figures, current.current?.shown])
    return () => {
      chart.current = null
      made.destroy()
    }
  }, [dark, horizontal, figures.measures[shown]?.name])

  useEffect(() => {
    if (!chart.current || drawn.current === asked) return
    drawn.current = asked
    chart.current.data = dataOf(current.current as Drawing)
    chart.current.update()
  }, [asked])

  return <canvas ref={canvas} role="img" aria-label={spokenFigures(title, figures, shown)} />
}
