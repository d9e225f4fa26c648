import { defineConfig } from 'vitest/config'

/** npm run torture: what takes too long for every change. */
export default defineConfig({
  test: {
    include: ['tests/torture/**/*.torture.ts'],
    globalSetup: ['tests/support/built.ts', 'tests/support/postgres.ts'],
    testTimeout: 1_800_000,
    hookTimeout: 1_800_000,
    // One after the other: several of them measure what a crash does while everything else is quiet.
    fileParallelism: false,
  },
})
