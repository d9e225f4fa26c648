/** The current lane, set by vitest.config.ts: `test`, `fast`, `all`, `node24` or `torture`. */
const LANE = process.env.CRM_TEST_LANE ?? 'test'

/** Whether this is `npm run test:all`, which runs everything at full size. */
export const ALL = LANE === 'all'

/** Whether this is `npm run test:fast`, which starts no database. */
export const FAST = LANE === 'fast'

/** The number of random cases of a property test. */
export const runs = (full: number) => (ALL ? full : Math.ceil(full / 10))

/** A tenth of a long list, spread evenly over it, or all of it in `npm run test:all`. */
export const sample = <T>(list: readonly T[]): readonly T[] => (ALL ? list : list.filter((_, i) => i % 10 === 0))
