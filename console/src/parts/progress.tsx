import { numberText } from './values.tsx'
import './progress.css'

export interface Reached {
  readonly done: number
  /** From 0 to 1; undefined where it is not known how much there is. */
  readonly part: number | undefined
  /** How long it has taken so far. */
  readonly seconds: number
}

interface Props {
  readonly label: string
  /** What is shown instead of the label and the number: `100 of 2,520 leads`. */
  readonly text?: string
  /** Why it does not go on for now, in place of how fast it does. */
  readonly pause?: string | undefined
  readonly reached: Reached
}

/** How far something long has come: how much, how fast, and how long it will still take. */
export function Progress({ label, text, pause, reached }: Props) {
  const { done, part, seconds } = reached
  const rate = seconds > 0.5 ? Math.round(done / seconds) : undefined
  const left = part && seconds > 2 ? Math.ceil((seconds * (1 - part)) / part) : undefined
  return (
    <div className="progress">
      <progress aria-label={label} max={1} value={part} />
      <p role="status">
        <strong>{text ?? `${label}: ${numberText(done)}`}</strong>
        <span className="soft">
          {pause ?? (
            <>
              {rate !== undefined && `${numberText(rate)} a second`}
              {left !== undefined && part !== undefined && part < 1 && ` · about ${timeText(left)} left`}
            </>
          )}
        </span>
      </p>
    </div>
  )
}

const timeText = (seconds: number) => (seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`)
