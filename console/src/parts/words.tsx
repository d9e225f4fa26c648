import { Fragment, type ReactNode } from 'react'

const APART = /\u2068([^\u2068\u2069]*)\u2069?/

/** Where a long word may be broken: behind the signs that join the parts of addresses and file names. */
const SEAMS = /(?<=[^\s@./_-][@./_-]+)(?=[^\s@./_-])/
const LONG_WORD = /\S{16}/

/** What `visibleText` has written out. */
const ESCAPE = /(\\u[0-9a-f]{4,5})/

interface Props {
  readonly children: string
  /** Long words may be broken between their parts. Where lines are not wrapped they would be, too. */
  readonly breaks?: boolean
}

/** Words with names among them that `shownText` keeps apart. What is copied from the page has no characters for that. */
export function Words({ children, breaks = false }: Props) {
  const shown = breaks ? withBreaks : withEscapes
  // Every second part is what stood apart.
  const parts = children.split(APART)
  if (parts.length === 1) return shown(children)
  return parts.map((part, nth) => (nth % 2 === 1 ? <bdi key={nth}>{shown(part)}</bdi> : <Fragment key={nth}>{shown(part)}</Fragment>))
}

/** An escape reads from left to right, also in a text that does not. */
function withEscapes(text: string): ReactNode {
  const parts = text.split(ESCAPE)
  if (parts.length === 1) return text
  return parts.map((part, nth) =>
    nth % 2 === 1 ? (
      <bdi key={nth} dir="ltr">
        {part}
      </bdi>
    ) : (
      <Fragment key={nth}>{part}</Fragment>
    ),
  )
}

function withBreaks(text: string): ReactNode {
  const parts = text.split(/(\s+)/).flatMap((word) =>
    LONG_WORD.test(word)
      ? word
          .split(SEAMS)
          .flatMap((part) => [<wbr key="seam" />, part])
          .slice(1)
      : [word],
  )
  return parts.map((part, nth) => <Fragment key={nth}>{typeof part === 'string' ? withEscapes(part) : part}</Fragment>)
}
