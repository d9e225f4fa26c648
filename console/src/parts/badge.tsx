import { shownText } from './visible-text.ts'
import { Words } from './words.tsx'
import './badge.css'

export type Tone = 'plain' | 'good' | 'bad' | 'warn' | 'accent'

export function Badge({ children, tone = 'plain' }: { readonly children: string; readonly tone?: Tone }) {
  return (
    <span className={`badge badge-${tone}`}>
      <Words>{children}</Words>
    </span>
  )
}

/** A stage or status has the same colour everywhere. */
export function StateBadge({ value }: { readonly value: string | null }) {
  if (value === null || value === '') return <span className="soft">—</span>
  return <Badge tone={toneOf(value)}>{shownText(value)}</Badge>
}

const TONES: readonly (readonly [RegExp, Tone])[] = [
  [/lost|reject|fail|dead|refus|unqualif|disqualif/i, 'bad'],
  [/won|convert|qualified|done|active|ok/i, 'good'],
  [/closed|archiv|inactive/i, 'plain'],
  [/new|open|prospect/i, 'accent'],
  [/progress|negoti|wait|proposal|contact|escalat/i, 'warn'],
]

function toneOf(value: string): Tone {
  return TONES.find(([pattern]) => pattern.test(value))?.[1] ?? 'plain'
}
