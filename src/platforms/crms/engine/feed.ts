import type { Feed } from '../../platform.ts'
import type { Account } from './account.ts'

/** What an account tells of the changes that others make in it. */
export const feedOf = ({ driver }: Account): Feed => ({
  now: () => driver.now(),
  get lagMs() {
    return driver.supports.lagMs
  },
})
