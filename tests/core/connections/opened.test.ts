import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { OpenedConnections } from '../../../src/core/connections/opened.ts'
import type { Platform } from '../../../src/platforms/platform.ts'
import type { Workspace } from '../../../src/platforms/store.ts'

/** Counts how often it was closed. */
function closable() {
  const account = { closed: 0, close: async () => void account.closed++ }
  return account as typeof account & Platform
}

const WORKSPACE = { number: 1, name: 'default', state: 'active', limits: {} } as unknown as Workspace

describe('an account that was opened', () => {
  test('is kept until the last call on it has ended, however long that takes', async () => {
    const connections = new OpenedConnections((platform) => platform)
    onTestFinished(() => connections.close())
    const [first, second] = [closable(), closable()]
    await connections.read(WORKSPACE, 1, async () => ({ of: 'first', open: async () => first }))
    const calls = [connections.take(WORKSPACE), connections.take(WORKSPACE)]
    await connections.read(WORKSPACE, 2, async () => ({ of: 'second', open: async () => second }))
    expect(connections.get(WORKSPACE)?.platform).toBe(second)
    for (const call of calls) {
      expect(first.closed).toBe(0)
      connections.release(call)
    }
    expect([first.closed, second.closed]).toEqual([1, 0])
  })

  test('is closed when it is idle, and not while a call is under way on it', async () => {
    const connections = new OpenedConnections((platform) => platform, 30)
    onTestFinished(() => connections.close())
    const [used, idle] = [closable(), closable()]
    const other = { ...WORKSPACE, number: 2 }
    await connections.read(WORKSPACE, 1, async () => ({ of: 'used', open: async () => used }))
    const call = connections.take(WORKSPACE)
    await connections.read(other, 1, async () => ({ of: 'idle', open: async () => idle }))
    await vi.waitFor(() => expect(idle.closed).toBe(1), { timeout: 60_000 })
    expect(used.closed).toBe(0)
    connections.release(call)
    await vi.waitFor(() => expect(used.closed).toBe(1), { timeout: 60_000 })
  })

  test('a call that begins after a switch does not get what was read before it', async () => {
    const connections = new OpenedConnections((platform) => platform)
    onTestFinished(() => connections.close())
    const [first, second] = [closable(), closable()]
    const before = connections.read(WORKSPACE, 1, async () => ({ of: 'first', open: async () => first }))
    const after = connections.read(WORKSPACE, 2, async () => ({ of: 'second', open: async () => second }))
    await Promise.all([before, after])
    expect(connections.get(WORKSPACE)?.platform).toBe(second)
    expect(first.closed).toBe(1)
  })
})
