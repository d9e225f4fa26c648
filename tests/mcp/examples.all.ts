import { describe, expect, test } from 'vitest'
import type { Verb } from '../../src/contract/operation.ts'
import { temporaryFolder } from '../support/folder.ts'
import { REVISIONS, type Revision, type Talk, talkTo, talkToCommand } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'
import { exampleInput, TOOL_OPERATIONS } from '../support/tool-examples.ts'

const WAYS: { readonly [way: string]: (revision: Revision) => Promise<Talk> } = {
  'standard input and output': async (revision) => talkToCommand([], { cwd: await temporaryFolder() }, { revision }),
  HTTP: async (revision) => {
    const server = await serverForTest()
    return talkTo(server.url, server.key, { revision })
  },
}

const ONCE: readonly Verb[] = ['undoChange', 'convert']

describe.each(Object.entries(WAYS))('over %s', (_, open) => {
  test.each(REVISIONS)('every example is carried out by its tool, for a client that speaks %s', async (revision) => {
    const talk = await open(revision)
    expect(talk.client.getNegotiatedProtocolVersion()).toBe(revision)
    expect((await talk.client.listTools()).tools.map(({ name }) => name)).toEqual(TOOL_OPERATIONS.map(({ id }) => id))
    for (const operation of TOOL_OPERATIONS) {
      const input = await exampleInput(talk, operation)
      for (const more of [{}, { Detail: 'full' }]) {
        if (operation.effect === 'delete' && 'Detail' in more) continue
        const { isError, text, says } = await talk.call(operation.id, { ...input, ...more })
        // A change that was undone cannot be undone again, nor a lead be converted twice.
        if (ONCE.includes(operation.verb) && 'Detail' in more) expect(says.code).toBe('conflict')
        else expect([operation.id, isError, text]).toEqual([operation.id, false, expect.stringMatching(/\S/)])
      }
      if (operation.effect === 'read') continue
      const rehearsed = await talk.call(operation.id, { ...(await exampleInput(talk, operation)), DryRun: true })
      expect([operation.id, rehearsed.says.DryRun]).toEqual([operation.id, true])
    }
  })
})
