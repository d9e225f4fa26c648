import type { ButtonHTMLAttributes, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import './button.css'

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly icon?: IconName
  /** Shows a spinner and ignores clicks, but keeps the focus, which a disabled button would lose. */
  readonly busy?: boolean
  readonly small?: boolean
  readonly children?: ReactNode
}

export function Button({ kind = 'plain', icon, busy = false, small = false, children, disabled, type = 'button', className = '', onClick, ...rest }: Props) {
  return (
    <button
      {...rest}
      type={type}
      className={`button button-${kind}${small ? ' button-small' : ''}${children === undefined ? ' button-bare' : ''} ${className}`}
      disabled={disabled}
      aria-disabled={busy || undefined}
      aria-busy={busy}
      onClick={busy ? (event) => event.preventDefault() : onClick}
    >
      {busy ? <span className="spin" aria-hidden="true" /> : icon && <Icon name={icon} size={small ? 16 : 18} />}
      {children !== undefined && <span>{children}</span>}
    </button>
  )
}

export function IconButton({ label, ...rest }: Omit<Props, 'children'> & { readonly icon: IconName; readonly label: string }) {
  return <Button kind="quiet" {...rest} aria-label={label} title={label} />
}
