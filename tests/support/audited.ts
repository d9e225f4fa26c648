import { expect } from 'vitest'
import type { AuditReport, Store } from '../../src/platforms/store.ts'

/** Verifies the audit chain of every workspace of a store, and closes the store. */
export async function audited(store: Store): Promise<Map<number, AuditReport>> {
  try {
    const reports = new Map<number, AuditReport>()
    for (const { number } of await store.workspaces()) {
      const report = await store.journal(number).verify()
      expect(report).toMatchObject({ faults: [], unsealed: 0, head: { number: report.released + report.lines } })
      reports.set(number, report)
    }
    return reports
  } finally {
    await store.close()
  }
}
