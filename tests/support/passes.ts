import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Connection, conformance, type Runner } from '../../src/testing/index.ts'
import type { behindServer } from './behind-server.ts'
import { overCli } from './over-cli.ts'
import { overHttp } from './over-http.ts'
import { overMcp } from './over-mcp.ts'

export const RUNNER: Runner = { describe, test, beforeAll, afterAll }

/** The transports that share a pass of the suite in `npm test`. */
const SHARING = ['http', 'mcp', 'cli', 'sdk'] as const

/**
 * Registers this transport's share of the suite. Behind a transport is the same core, so each behaviour goes through one of them in
 * `npm test`, and through every one in `npm run test:all`. tests/parity.test.ts compares their answers.
 */
export function sharedPass(transport: (typeof SHARING)[number], name: string, open: () => Promise<Connection>): void {
  let [theme, registered] = ['', 0]
  const runner: Runner = {
    ...RUNNER,
    // Themes are not described by themselves: vitest refuses those of which nothing is left.
    describe(title, run) {
      if (title === name) return describe(title, run)
      theme = title
      return run()
    },
    test: (title, run) => (SHARING[registered++ % SHARING.length] === transport ? test(`${theme}: ${title}`, run) : undefined),
  }
  conformance(runner, name, open)
}

/** Registers the whole suite for a platform behind a server, once for each transport. */
export function everyTransport(name: string, platform?: Parameters<typeof behindServer>[0]): void {
  conformance(RUNNER, `${name}, over HTTP`, () => overHttp(platform))
  conformance(RUNNER, `${name}, over MCP`, () => overMcp('2026-07-28', platform))
  conformance(RUNNER, `${name}, through commands`, () => overCli(platform))
}
