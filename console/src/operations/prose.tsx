import { Fragment } from 'react'

/** A sentence of the contract, in which backticks enclose what is meant literally. */
export function Prose({ text }: { readonly text: string }) {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code key={part + String(i)}>{part}</code> : <Fragment key={part + String(i)}>{part}</Fragment>))
}
