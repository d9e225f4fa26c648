/** What an option of a CRM may be set to. */
export interface OptionValues {
  /** In words, for a message. */
  readonly expected: string
  takes(value: string): boolean
  /** Whether it is an address that secrets or people are sent to. */
  readonly isAddress?: true
}

export const oneOf = (...words: readonly string[]): OptionValues => ({ expected: words.join(' or '), takes: (value) => words.includes(value) })

export const numberFrom = (least: number): OptionValues => ({
  expected: `a number, at least ${least}`,
  takes: (value) => /^\d+(?:\.\d+)?$/.test(value) && Number(value) >= least,
})

export const webAddress = (example: string): OptionValues => ({
  expected: `an address such as ${example}`,
  takes: (value) => /^https?:\/\//i.test(value) && URL.canParse(value),
  isAddress: true,
})

/** A text that `read` takes without throwing. */
export const readBy = (read: (value: string) => unknown, expected: string): OptionValues => ({
  expected,
  takes(value) {
    try {
      read(value)
      return true
    } catch {
      return false
    }
  },
})
