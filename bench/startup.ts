import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { median, startService } from './processes.ts'
import type { Result } from './report.ts'

const RUNS = 9

/** Time from start to the first answer of /readyz, against an empty Node process. */
export async function startup(): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'crm-start-'))
  const ours: number[] = []
  const empty: number[] = []
  for (let run = 0; run < RUNS; run++) {
    let began = performance.now()
    spawnSync(process.execPath, ['-e', '0'])
    empty.push(performance.now() - began)
    began = performance.now()
    const service = await startService(folder)
    const ready = await fetch(`${service.url}/readyz`)
    if (!ready.ok) throw new Error(`/readyz answered ${ready.status}`)
    ours.push(performance.now() - began)
    await service.stop()
  }
  rmSync(folder, { recursive: true, force: true })
  return {
    what: 'Start to ready',
    ours: `${median(ours).toFixed(0)} ms`,
    other: `empty Node ${median(empty).toFixed(0)} ms`,
    ratio: median(ours) / median(empty),
    atMost: 10,
  }
}
