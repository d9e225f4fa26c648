import type { Hue } from '../charts/figures.ts'
import { colourOf } from '../charts/palette.ts'
import { useDark } from '../shell/theme.ts'
import './legend.css'

/** What the colours of a chart mean. */
export function Legend({ hues }: { readonly hues: readonly (readonly [label: string, hue: Hue])[] }) {
  const dark = useDark()
  return hues.map(([label, hue]) => (
    <span key={label} className="overview-legend">
      <i style={{ background: colourOf(hue, dark) }} aria-hidden="true" />
      {label}
    </span>
  ))
}
