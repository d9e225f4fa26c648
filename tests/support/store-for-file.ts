import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { createApp } from '../../src/app/app.ts'
import type { Crm } from '../../src/contract/client/client.ts'

/** A store for all tests of a file, and the variables that point commands to it. It stays open, so that commands need not open it each time. */
export interface StoreForFile {
  readonly cwd: string
  readonly env: { readonly [variable: string]: string }
  /** Calls as the local admin. */
  readonly crm: Crm
}

export function storeForFile(more: { readonly [variable: string]: string } = {}): StoreForFile {
  const cwd = mkdtempSync(join(tmpdir(), 'crm-'))
  const env = { HOME: cwd, CRM_PLATFORM: `sqlite:${join(cwd, 'crm.db')}`, ...more }
  let crm: Crm | undefined
  beforeAll(async () => {
    crm = await createApp('test', env).client({})
  })
  afterAll(async () => {
    await crm?.close()
    await rm(cwd, { recursive: true, force: true })
  })
  return {
    cwd,
    env,
    get crm() {
      if (!crm) throw new Error('The store is not open yet.')
      return crm
    },
  }
}
