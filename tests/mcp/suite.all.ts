import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { withKey } from '../support/key-proxy.ts'
import { REVISIONS } from '../support/mcp.ts'
import { npmExec } from '../support/npm-exec.ts'
import { serverForTest } from '../support/server.ts'
import { EXCEPTIONS } from './suite-exceptions.ts'

const SUITE = '@modelcontextprotocol/conformance@0.2.0-alpha.12'
const listed = Object.values(EXCEPTIONS).flat()

type Checks = readonly { readonly id: string; readonly status: string; readonly errorMessage?: string }[]

/** What became of every scenario that a revision requires, or at least runs. */
async function judged(how: readonly string[]): Promise<ReadonlyMap<string, Checks>> {
  const cwd = await temporaryFolder()
  const url = await withKey(await serverForTest())
  const ran = await npmExec(SUITE, ['conformance', 'server', '--url', `${url}/mcp`, ...how, '--output-dir', 'results'], cwd)
  expect(`${ran.out}${ran.err}`).toContain('=== SUMMARY ===')
  return new Map(
    readdirSync(join(cwd, 'results')).map((folder) => {
      const [, scenario = ''] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(folder) ?? []
      return [scenario, JSON.parse(readFileSync(join(cwd, 'results', folder, 'checks.json'), 'utf8')) as Checks]
    }),
  )
}

const WAYS = [
  ...REVISIONS.map((revision) => [revision, '--requirements', revision] as const),
  // The suite has no list of what this one requires.
  ['2025-06-18', '--spec-version', '2025-06-18'] as const,
]

const seen = new Set<string>()

/** The first time it has to be fetched. */
const PATIENCE_MS = 180_000

describe('the official suite', { timeout: PATIENCE_MS }, () => {
  test.each(WAYS)('finds nothing wrong with revision %s but what is listed, and all of that', async (_, ...how) => {
    const scenarios = await judged(how)
    expect(scenarios.size).toBeGreaterThan(25)
    const excused = (scenario: string, check: string) =>
      listed.includes(`${scenario}:${check}`) || (listed.includes(scenario) && !check.startsWith('wire-schema'))
    const wrong = [...scenarios].flatMap(([scenario, checks]) =>
      checks
        .filter(({ status, id }) => status === 'FAILURE' && !excused(scenario, id))
        .map(({ id, errorMessage = '' }) => `${scenario}:${id}: ${errorMessage.slice(0, 300)}`),
    )
    expect(wrong).toEqual([])
    const failing = new Set(
      [...scenarios].flatMap(([scenario, checks]) => checks.flatMap(({ status, id }) => (status === 'FAILURE' ? [scenario, `${scenario}:${id}`] : []))),
    )
    const mended = listed.filter((entry) => scenarios.has(entry.split(':')[0] ?? '') && !failing.has(entry))
    expect(mended).toEqual([])
    for (const scenario of scenarios.keys()) seen.add(scenario)
  })

  test('has run every scenario that is listed', () => {
    expect(listed.filter((entry) => !seen.has(entry.split(':')[0] ?? ''))).toEqual([])
  })
})
