import { numberText } from '../parts/values.tsx'
import './files.css'

export interface Reached {
  readonly done: number
  /** From 0 to 1; undefined where nobody knows how much there is. */
  readonly part: number | undefined
  /** How long it has taken so far. */
  readonly seconds: number
}

/** How far something long has come: how much, how fast, and how long it will still take. */
export function Progress({ label, reached }: { readonly label: string; readonly reached: Reached }) {
  const { done, part, seconds } = reached
  const rate = seconds > 0.5 ? Math.round(done / seconds) : undefined
  const left = part && seconds > 2 ? Math.ceil((seconds * (1 - part)) / part) : undefined
  return (
    <div className="files-progress">
      <progress aria-label={label} max={1} value={part} />
      <p role="status">
        <strong>
          {label}: {numberText(done)}
        </strong>
        <span className="soft">
          {rate !== undefined && `${numberText(rate)} a second`}
          {left !== undefined && part !== undefined && part < 1 && ` · about ${timeText(left)} left`}
        </span>
      </p>
    </div>
  )
}

const timeText = (seconds: number) => (seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`)
