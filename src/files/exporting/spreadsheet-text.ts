/** What a spreadsheet takes for the beginning of a formula, some also in full width; after quotes, a text that would be read back without one of them. */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/

/** A value that a spreadsheet does not take for a formula: a text that begins like one gets a quote in front. */
export const withoutFormula = (value: unknown) => (typeof value === 'string' && FORMULA.test(value) ? `'${value}` : value)

/** The text that `withoutFormula` was given. */
export const asWritten = (text: string) => (text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text)
