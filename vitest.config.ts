import { defineConfig } from 'vitest/config'

export default defineConfig({
  // The package's own names lead to its sources.
  resolve: { tsconfigPaths: true },
  test: {
    include: ['tests/**/*.test.ts'],
    globalSetup: ['tests/support/built.ts', 'tests/support/postgres.ts', 'tests/support/chromium.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for is waited for as long as a browser's locators are, not the second that is the default.
    expect: { poll: { timeout: 30_000 } },
    // Two cores: more workers than that only wait for each other.
    maxWorkers: 2,
  },
})
