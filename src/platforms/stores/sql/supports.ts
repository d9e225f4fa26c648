import type { Supports } from '../../platform.ts'

/** What every store of ours can do: all that the contract asks, and nothing beyond. */
export const SUPPORTS: Omit<Supports, 'ordered'> = {
  transactions: true,
  fields: {},
  extras: {},
  authors: ['Note', 'Comment'],
  restores: true,
  ownUsers: true,
  tickMs: 1,
  batchesRequests: false,
  page: 500,
  reconcileMs: 0,
}
