import { afterAll, beforeAll, describe, test } from 'vitest'
import { type Connection, conformance, type Runner } from '../../src/testing/index.ts'
import type { behindServer } from './behind-server.ts'
import { overCli } from './over-cli.ts'
import { overHttp } from './over-http.ts'
import { overMcp } from './over-mcp.ts'

export const RUNNER: Runner = { describe, test, beforeAll, afterAll }

/** Those beside SQLite, which share one pass of the suite in `npm test`; in `npm run test:all` each has a pass of its own. The fast ones have more of it. */
const SHARING = ['http', 'salesforce', 'sdk', 'postgres', 'mcp', 'sdk', 'hubspot', 'cli', 'postgres', 'espocrm', 'sdk'] as const

/** Registers a member's share of the suite in `npm test`. */
export const share = (member: (typeof SHARING)[number], name: string, open: () => Promise<Connection>) => sharedPass(SHARING, member, name, open)

/**
 * Registers a member's share of a pass: each behaviour runs through one of the members. Behind every transport is the same core, and behind
 * every CRM the same engine; tests/parity.test.ts compares the answers of the transports.
 */
export function sharedPass(members: readonly string[], member: string, name: string, open: () => Promise<Connection>): void {
  let [theme, registered] = ['', 0]
  const runner: Runner = {
    ...RUNNER,
    // No nested describe: vitest rejects one without tests.
    describe(title, run) {
      if (title === name) return describe(title, run)
      theme = title
      return run()
    },
    test: (title, run) => (members[registered++ % members.length] === member ? test(`${theme}: ${title}`, run) : undefined),
  }
  conformance(runner, name, open)
}

type Served = Parameters<typeof behindServer>[0]

const SERVED: { readonly [transport: string]: (platform?: Served) => Promise<Connection> } = {
  'over HTTP': (platform) => overHttp(platform),
  'over MCP': (platform) => overMcp('2026-07-28', platform),
  'through commands': (platform) => overCli(platform),
}

/** Registers the whole suite for a platform behind a server, once for each transport. */
export function everyTransport(name: string, platform?: Served): void {
  for (const [transport, open] of Object.entries(SERVED)) conformance(RUNNER, `${name}, ${transport}`, () => open(platform))
}

/** Registers one pass of the suite for a platform behind a server, divided among the transports. */
export function sharedTransports(name: string, platform?: Served): void {
  const members = Object.keys(SERVED)
  for (const [transport, open] of Object.entries(SERVED)) sharedPass(members, transport, `${name}, ${transport}`, () => open(platform))
}
