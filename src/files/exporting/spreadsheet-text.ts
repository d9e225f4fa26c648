/** A text that a spreadsheet takes for a text, although it begins like a formula. It is not read back as it was. */
export const harmless = (value: unknown) => (typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value)
