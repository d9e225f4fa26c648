/** What a demo is made of. */
export interface Given {
  readonly size: number
  readonly seed: number
  readonly months: number
  readonly force?: true
  readonly workspace?: string
}

/** A demo for which nothing is asked. */
export const DEMO = { size: 500, seed: 1, months: 12 } as const satisfies Given
