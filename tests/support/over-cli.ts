import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientOf } from '../../src/contract/client/client.ts'
import type { CallOptions, Transport } from '../../src/contract/client/transport.ts'
import { errorOf, type Problem } from '../../src/contract/errors.ts'
import { fold } from '../../src/contract/names.ts'
import { isDestructive, overwrites } from '../../src/contract/operation.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import type { Connection } from '../../src/testing/index.ts'
import { behindServer } from './behind-server.ts'
import { runHere } from './cli.ts'

/** The connector behind a real server, called by commands. */
export async function overCli(platform?: Parameters<typeof behindServer>[0]): Promise<Connection> {
  const { server, connection } = await behindServer(platform)
  const HOME = await mkdtemp(join(tmpdir(), 'crm-'))
  return {
    ...connection,
    signIn: (key) => clientOf(commandTransport({ HOME, CRM_URL: server.url, CRM_KEY: key })),
    async close() {
      await connection.close()
      await rm(HOME, { recursive: true, force: true })
    },
  }
}

/** Runs each call as a command with JSON input, output and errors. */
export function commandTransport(env: { readonly [variable: string]: string }): Transport {
  async function run(words: readonly string[], input: unknown): Promise<unknown> {
    const { code, out, err } = await runHere([...words, '--output', 'json'], { env, input: JSON.stringify(input) })
    // A batch has an answer even if some of its calls were refused.
    if (out !== '') return JSON.parse(out)
    if (code === 0 || err === '') throw new Error(`${words.join(' ')} ended with ${code} and said nothing: ${err}`)
    throw errorOf(JSON.parse(err) as Problem)
  }
  return {
    call: (operation, input, options) => run([operation, '--json', '-', ...flagsOf(options, operation)], input),
    batch: (batch, options) => run(['batch', '-', ...flagsOf(options)], batch),
  }
}

/** The flags for the options of a call. Reads do not have those that apply only to writes. */
function flagsOf({ idempotencyKey, dryRun, confirm, confirmation }: CallOptions = {}, operation?: string): string[] {
  const found = OPERATIONS.find(({ id }) => id === fold(operation ?? ''))
  const confirmable = found === undefined || isDestructive(found) || overwrites(found)
  if (found?.effect === 'read') return found.sends && dryRun ? ['--dry-run'] : []
  return [
    ...(idempotencyKey === undefined ? [] : ['--idempotency-key', idempotencyKey]),
    ...(dryRun ? ['--dry-run'] : []),
    ...(confirm && confirmable ? ['--confirm', ...(confirm === true ? [] : [confirm])] : []),
    ...(confirmation !== undefined && confirmable ? ['--confirmation', confirmation] : []),
  ]
}
