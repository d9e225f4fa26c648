import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Connection, conformance, type Runner } from '../../src/testing/index.ts'
import type { behindServer } from './behind-server.ts'
import { overCli } from './over-cli.ts'
import { overHttp } from './over-http.ts'
import { overMcp } from './over-mcp.ts'

export const RUNNER: Runner = { describe, test, beforeAll, afterAll }

/** What shares a pass of the suite in `npm test`. */
const SHARING = { transports: ['http', 'mcp', 'cli', 'sdk'], crms: ['salesforce', 'hubspot', 'espocrm'] } as const

/**
 * Registers one transport's, or one CRM's, share of the suite. Behind every transport is the same core, and behind every CRM the same
 * engine, so that each behaviour runs through one of them in `npm test`, and through every one in `npm run test:all`.
 * tests/parity.test.ts compares the answers of the transports.
 */
export function sharedPass<G extends keyof typeof SHARING>(group: G, member: (typeof SHARING)[G][number], name: string, open: () => Promise<Connection>): void {
  const members: readonly string[] = SHARING[group]
  let [theme, registered] = ['', 0]
  const runner: Runner = {
    ...RUNNER,
    // Themes are not described by themselves: vitest refuses those of which nothing is left.
    describe(title, run) {
      if (title === name) return describe(title, run)
      theme = title
      return run()
    },
    test: (title, run) => (members[registered++ % members.length] === member ? test(`${theme}: ${title}`, run) : undefined),
  }
  conformance(runner, name, open)
}

/** Registers the whole suite for a platform behind a server, once for each transport. */
export function everyTransport(name: string, platform?: Parameters<typeof behindServer>[0]): void {
  conformance(RUNNER, `${name}, over HTTP`, () => overHttp(platform))
  conformance(RUNNER, `${name}, over MCP`, () => overMcp('2026-07-28', platform))
  conformance(RUNNER, `${name}, through commands`, () => overCli(platform))
}
