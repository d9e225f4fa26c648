import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The lanes of CONTRIBUTING.md, and the files that each runs: `vitest run --mode fast`. */
const LANES: Record<string, readonly string[]> = {
  test: ['tests/**/*.test.ts'],
  fast: ['tests/{contract,core,property}/**/*.test.ts', 'tests/conformance/sqlite.test.ts', 'tests/{imports,generated}.test.ts'],
  // What `npm test` leaves out, and what it tries with fewer cases (see tests/support/lane.ts).
  all: ['tests/**/*.all.ts', 'tests/property/**/*.test.ts'],
  // What a version of Node can change: the SQLite driver, streams, cryptography, processes.
  node24: [
    'tests/platforms/stores/sqlite/**/*.test.ts',
    'tests/{cli,sdk}/**/*.test.ts',
    'tests/{cli/{batch,configuration,export,import,import-readers,operations,platform-settings,secrets,store,workspaces,writes},sdk/{follow,package,retries}}.all.ts',
    'tests/core/webhooks/**/*.test.ts',
    'tests/core/webhooks/sealed.all.ts',
    'tests/http/{stream,connections,bodies}.test.ts',
    'tests/http/event-stream.all.ts',
    'tests/{serve,streaming,examples}.test.ts',
    'tests/conformance/{sqlite,sdk-in-process}.test.ts',
  ],
  torture: ['tests/**/*.torture.ts'],
}

/** Files that replace a module with `vi.mock`, which must not reach the files that run after them in the same worker. */
const MOCKING = ['tests/platforms/stores/postgres/notifications.test.ts', 'tests/platforms/stores/sqlite/{durability,group-commit,plans}.test.ts']

/** Seconds that a file takes, by its path. Files that are not listed take one. */
const seconds = JSON.parse(readFileSync(join(import.meta.dirname, 'tests/support/seconds.json'), 'utf8')) as Record<string, number>

/** Starts the slowest files first, so that no worker is left with one of them at the end while the others are idle. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const cost = ({ moduleId }: TestSpecification) => seconds[moduleId.slice(import.meta.dirname.length + 1)] ?? 1
    return [...files].sort((a, b) => cost(b) - cost(a))
  }
}

export default defineConfig(({ mode }) => {
  const lane = mode in LANES ? mode : 'test'
  const include = [...(LANES[lane] ?? [])]
  const timeout = { all: 1_800_000, torture: 1_800_000 }[lane] ?? 300_000
  const files = {
    env: { CRM_TEST_LANE: lane },
    setupFiles: ['tests/support/working-directory.ts'],
    // Generous: a limit is there to end what hangs, and must not be reached on a loaded machine.
    testTimeout: timeout,
    hookTimeout: timeout,
    expect: { poll: { timeout: 60_000 } },
  }
  return {
    // The package's own names lead to its sources.
    resolve: { tsconfigPaths: true },
    test: {
      globalSetup: ['isolated-environment', 'built', 'postgres', ...(lane === 'fast' ? [] : ['chromium'])].map((name) => `tests/support/${name}.ts`),
      sequence: { sequencer: SlowestFirst },
      // Crashes are tried one after the other, while everything else is quiet.
      fileParallelism: lane !== 'torture',
      // On two cores a third worker uses the time in which the others wait for a process or a disk.
      maxWorkers: lane === 'torture' ? 1 : 3,
      projects: [
        // The files that a worker runs share the modules that they have loaded, which saves a quarter of the time.
        { extends: true, test: { ...files, name: 'shared', include, exclude: MOCKING, isolate: false } },
        { extends: true, test: { ...files, name: 'mocking', include: lane === 'test' || lane === 'node24' ? MOCKING : [], isolate: true } },
      ],
    },
  }
})
