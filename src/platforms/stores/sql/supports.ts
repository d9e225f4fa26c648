import type { Supports } from '../../platform.ts'

/** What both stores support: everything in the contract, and nothing beyond it. */
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
  requestMs: 0,
  reconcileMs: 0,
}
