import type { AnchorHTMLAttributes, ReactNode } from 'react'
import { hrefOf, type Query } from './router.ts'

type Props = Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> & { readonly to: readonly string[]; readonly query?: Query; readonly children: ReactNode }

export function Link({ to, query, children, ...rest }: Props) {
  return (
    <a href={hrefOf(to, query)} {...rest}>
      {children}
    </a>
  )
}
