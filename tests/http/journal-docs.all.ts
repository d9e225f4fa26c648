import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SETTINGS_TABLE } from '../../src/config/settings.ts'
import { OPERATIONS } from '../../src/contract/operations.ts'
import { cleanEnvironment, collected, shell } from '../support/crm.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

const root = join(import.meta.dirname, '../..')
const read = (name: string) => readFileSync(join(root, 'docs', name), 'utf8')
const guide = read('journal.md')
const blocks = (language: string) => [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text)

const SHOWN_URL = 'http://127.0.0.1:8484'
const SHOWN_PORT = 8585

describe('docs/journal.md', () => {
  test('has commands that do what they say', async () => {
    const cwd = await temporaryFolder()
    const service = await startService(cwd)
    const answers: Record<string, unknown>[] = []
    for (const block of blocks('sh')) {
      const { code, out, err } = await shell(block.replaceAll(SHOWN_URL, service.url).replaceAll('npx crm', 'crm'), { cwd })
      expect([code, err]).toEqual([0, ''])
      answers.push(JSON.parse(out) as Record<string, unknown>)
    }
    const [lead, batch, tried, changes, undone, confirmed, events, audit] = answers
    expect(lead).toMatchObject({ FirstName: 'Ada', Revision: 1 })
    expect(batch).toMatchObject({ Results: [{ Status: 200 }, { Status: 200 }] })
    expect(tried).toMatchObject({ DryRun: true, Difference: { Stage: { From: null, To: 'Prospecting' } } })
    expect(changes).toMatchObject({ Records: [{ After: { FirstName: 'Grace' } }, { After: { FirstName: 'Ada' } }] })
    expect(undone).toMatchObject({ RecordType: 'Case', Record: null })
    expect(confirmed).toEqual({ LeadID: expect.any(String), Deleted: true })
    expect((events as { Events: { Type: string }[] }).Events.map(({ Type }) => Type)).toEqual([
      'lead.created',
      'lead.created',
      'case.created',
      'case.deleted',
      'lead.created',
      'plan.planned',
      'lead.deleted',
    ])
    expect(audit).toMatchObject({ Workspaces: [{ Verified: true, Lines: 7 }] })
  })

  test('has a receiver of webhooks that believes what is signed, and nothing else', async () => {
    const service = await startService(await temporaryFolder(), { env: { CRM_WEBHOOK_PRIVATE: 'true' } })
    const port = await freePort()
    const target = `http://127.0.0.1:${port}/`
    const { WebhookID, Secret } = await service.call('create_webhook', { URL: target, EventTypes: ['lead.created'] })
    const out = await receiver(String(Secret), port)
    expect(await service.call('test_webhook', { WebhookID })).toMatchObject({ Delivered: true, Status: 204, Error: null })
    const { LeadID } = await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
    await expect.poll(out).toBe(`webhook.test ${WebhookID}\nlead.created ${LeadID}\n`)

    const forged = { 'webhook-id': 'x', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA' }
    expect((await fetch(target, { method: 'POST', headers: forged, body: '{"Type":"lead.created"}' })).status).toBe(400)
    await service.call('rotate_webhook_secret', { WebhookID })
    expect(await service.call('test_webhook', { WebhookID })).toMatchObject({ Delivered: true })
  })

  test.each(['journal.md', 'events.md'])('%s leads to what is there', (name) => {
    for (const [, link = ''] of read(name).matchAll(/\]\(([^)]+)\)/g)) {
      if (link.startsWith('https://')) continue
      const [file, anchor] = link.split('#')
      const page = file ? file : name
      expect(existsSync(join(root, 'docs', page)), link).toBe(true)
      if (anchor)
        expect([...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading.toLowerCase().replaceAll('.', '').replaceAll(' ', '-'))).toContain(
          anchor,
        )
    }
  })

  test('speaks of operations and variables that exist', () => {
    const operations = new Set<string>(OPERATIONS.map(({ id }) => id))
    const variables = new Set<string>(Object.values(SETTINGS_TABLE).map(({ variable }) => variable))
    for (const [, name = ''] of guide.matchAll(/`((?:get|create|update|delete|undo|erase|rotate|test|replay)_\w+)`/g)) expect(operations).toContain(name)
    for (const [name] of guide.matchAll(/\bCRM_[A-Z_]+\b/g)) expect(variables).toContain(name)
  })
})

/** The receiver of the guide, running: what it has printed so far. */
async function receiver(secret: string, port: number): Promise<() => string> {
  // Beside the packages, so that they are found.
  const folder = join(root, 'node_modules/.cache/journal-docs')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'receiver.mjs')
  writeFileSync(file, (blocks('js')[0] ?? '').replace(String(SHOWN_PORT), String(port)))
  const child: ChildProcess = spawn(process.execPath, [file], { env: cleanEnvironment({ WEBHOOK_SECRET: secret }), stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const listens = () =>
    fetch(`http://127.0.0.1:${port}/`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(listens).toBe(400)
  return collected(child.stdout)
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.on('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
