import { useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { Progress } from './progress.tsx'

interface Props {
  readonly title: string
  /** What is counted. */
  readonly label: string
  /** `100 of 2,520 leads`. */
  readonly text: string
  /** Why it does not go on for now. */
  readonly pause?: string | undefined
  readonly done: number
  readonly total: number
  readonly onStop: () => void
}

/** How far something has come that is under way since this is shown, and can be stopped. */
export function RunningDialog({ title, label, text, pause, done, total, onStop }: Props) {
  const [began] = useState(() => performance.now())
  const [stopping, setStopping] = useState(false)
  const stop = () => {
    setStopping(true)
    onStop()
  }
  return (
    <Dialog
      title={title}
      onClose={stop}
      footer={
        <Button busy={stopping} onClick={stop}>
          Stop
        </Button>
      }
    >
      <Progress label={label} text={text} pause={pause} reached={{ done, part: done / total, seconds: done === 0 ? 0 : (performance.now() - began) / 1000 }} />
    </Dialog>
  )
}
