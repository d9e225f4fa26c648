/** A value that a spreadsheet does not take for a formula: a text that begins like one gets a quote in front, and is not read back as it was. */
export const withoutFormula = (value: unknown) => (typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value)
