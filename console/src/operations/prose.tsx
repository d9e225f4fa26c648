import { Fragment } from 'react'

/** A text of the contract, with the parts in backticks as code. */
export function Prose({ text }: { readonly text: string }) {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code key={part + String(i)}>{part}</code> : <Fragment key={part + String(i)}>{part}</Fragment>))
}
