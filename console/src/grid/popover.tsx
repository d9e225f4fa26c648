import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import './popover.css'

interface Props {
  readonly label: string
  readonly icon?: IconName
  /** What the button shows in place of its label. */
  readonly content?: ReactNode
  readonly chip?: boolean
  readonly align?: 'left' | 'right'
  readonly children: (close: () => void) => ReactNode
}

/** A button with a panel below it. Escape or a click outside closes it. */
export function Popover({ label, icon, content, chip = false, align = 'left', children }: Props) {
  const [open, setOpen] = useState(false)
  const container = useRef<HTMLDivElement>(null)
  const id = useId()

  useEffect(() => {
    if (!open) return
    container.current?.querySelector<HTMLElement>('.popover-panel :is(input, select, textarea, button, a)')?.focus()
    const onPointer = (event: PointerEvent) => container.current?.contains(event.target as Node) || setOpen(false)
    document.addEventListener('pointerdown', onPointer)
    return () => document.removeEventListener('pointerdown', onPointer)
  }, [open])

  const close = () => {
    setOpen(false)
    container.current?.querySelector('button')?.focus()
  }
  const common = { 'aria-expanded': open, 'aria-controls': id, 'aria-haspopup': 'dialog', onClick: () => setOpen(!open) } as const
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what is open, whatever in it has the focus.
    <div
      ref={container}
      className="popover"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return
        event.stopPropagation()
        event.preventDefault()
        close()
      }}
    >
      {chip ? (
        <button type="button" className="popover-chip" title={label} {...common}>
          {content}
        </button>
      ) : (
        <Button {...(icon && { icon })} {...common}>
          {content ?? label} <Icon name="down" size={14} />
        </Button>
      )}
      {open && (
        <div id={id} className={`popover-panel popover-${align}`} role="dialog" aria-label={label}>
          {children(close)}
        </div>
      )}
    </div>
  )
}
