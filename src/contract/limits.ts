/** Every limit a caller can run into, in one place; the schemas and the docs are made from it. */
export const LIMITS = {
  text: 255,
  longText: 32_000,
  name: 80,
  moneyDigits: 15,
  moneyDecimals: 4,
  customFields: 500,
  /** Values in one `in` filter, names in one `Select`, scopes on one key. */
  list: 1000,
  page: 1000,
  defaultPage: 100,
  /** A cursor holds the value a page ended with, which may be the longest text there is. */
  cursor: 262_144,
  /** Notes, comments and memberships shown on a record before `get_many_notes` takes over. */
  hanging: 100,
  /** Owners named in a summary. */
  owners: 100,
  /** Newest records shown in a summary. */
  recent: 5,
  /** Days ahead that count as closing soon. */
  closingSoonDays: 30,
  bodyBytes: 1_048_576,
  /** Faults listed in one refusal. */
  faults: 100,
} as const

/** The largest amount of money that can be kept exactly: fifteen digits. */
export const LARGEST_MONEY = 10 ** LIMITS.moneyDigits - 1
