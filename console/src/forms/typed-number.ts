interface Marks {
  /** What stands between groups of three digits. */
  readonly group: string
  readonly decimal: string
}

/** The marks of a language, that of the browser unless given. */
export function marksOf(language?: string): Marks {
  const parts = new Intl.NumberFormat(language).formatToParts(1_234_567.8)
  const mark = (type: 'group' | 'decimal') => parts.find((part) => part.type === type)?.value ?? ''
  return { group: mark('group'), decimal: mark('decimal') || '.' }
}

const own = marksOf()

/** A number with decimals, to be typed like. */
export const exampleIn = ({ decimal }: Marks = own) => `1500${decimal}50`

const SPACES = '[ \\u00a0\\u202f]'
const escaped = (mark: string) => mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/**
 * The number that was typed, as the API writes it or as the page shows it; otherwise the text. What could be either of two numbers is none, such as 1.500, and so is
 * what a number cannot hold exactly.
 */
export function numberIn(typed: string, marks: Marks = own): unknown {
  const trimmed = typed.trim()
  if (trimmed === '') return undefined
  const plain = plainOf(trimmed, marks)
  const number = Number(plain)
  return plain !== undefined && String(number) === shortest(plain) ? number : typed
}

/** The same for a field whose type has a largest number: one beyond all of those is given as a number, so that it is refused for its size. */
export function boundedNumberIn(typed: string, marks: Marks = own): unknown {
  const number = Number(plainOf(typed.trim(), marks))
  return Math.abs(number) > Number.MAX_SAFE_INTEGER && Number.isFinite(number) ? number : numberIn(typed, marks)
}

/** With a point before the decimals, and nothing between groups. */
function plainOf(text: string, { group, decimal }: Marks): string | undefined {
  const between = group.trim() === '' ? SPACES : /^['’]$/.test(group) ? "['’]" : escaped(group)
  const point = escaped(decimal)
  const isGrouped = group !== '' && new RegExp(`^-?[1-9]\\d{0,2}(?:${between}\\d{3})+(?:${point}\\d+)?$`).test(text)
  const isPlain = /^-?\d+(?:\.\d+)?$/.test(text)
  const isLocal = decimal !== '.' && new RegExp(`^-?\\d+${point}\\d+$`).test(text)
  // One mark with three digits behind it is a group to some and decimals to others. Where the page has the point, 1.234 can only be decimals; 1.500 would have been 1.5.
  const isDoubtful = (decimal === '.' ? /^-?[1-9]\d{0,2}\.\d\d0$/ : /^-?[1-9]\d{0,2}[.,]\d{3}$/).test(text)
  if (isDoubtful || !(isGrouped || isPlain || isLocal)) return undefined
  return isPlain ? text : text.replace(new RegExp(between, 'g'), '').replace(decimal, '.')
}

/** Without zeros that say nothing: 1500.50 is 1500.5. */
const shortest = (plain: string) => plain.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '')
