import { exec } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { build } from 'esbuild'
import type { Browser } from 'playwright-core'
import { build as viteBuild } from 'vite'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { launchBrowser } from '../support/browser.ts'
import { type Consumer, consumer } from '../support/consumer.ts'
import { serverForTest } from '../support/server.ts'

let here: Consumer
beforeAll(async () => {
  here = await consumer()
})
afterAll(() => here?.close())

/** What the issue of a larger bundle would be: a page pays for it with each visit. */
const LARGEST_BYTES = 15_000

const ENTRY = "export * from 'crm-connector'"

async function bundled(contents: string, platform: 'browser' | 'neutral') {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: here.folder },
    absWorkingDir: here.folder,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform,
    write: false,
    metafile: true,
  })
  const [output] = Object.values(metafile.outputs)
  return { text: outputFiles[0]?.text ?? '', bytes: outputFiles[0]?.contents.length ?? 0, imports: output?.imports ?? [], inputs: Object.keys(metafile.inputs) }
}

describe('the client', () => {
  test.each(['browser', 'neutral'] as const)('is small, and needs nothing else, where the platform is %s', async (platform) => {
    const { text, bytes, imports, inputs } = await bundled(ENTRY, platform)
    expect(bytes).toBeLessThan(LARGEST_BYTES)
    expect(imports).toEqual([])
    expect(inputs.filter((path) => path.includes('node_modules') && !path.includes('node_modules/crm-connector/'))).toEqual([])
    expect(text).not.toMatch(/\bnode:|\brequire\b|createRequire|process\./)
  })

  test('asks for nothing of Node before it opens a store', () => {
    const seen = new Set<string>()
    const walk = (path: string): string[] => {
      if (seen.has(path)) return []
      seen.add(path)
      const found = [...readFileSync(path, 'utf8').matchAll(/^(?:import|export)\b[^'"]*?\bfrom\s+["']([^"']+)["']/gm)].map(([, from = '']) => from)
      return found.flatMap((from) => (from.startsWith('.') ? walk(join(path, '..', from)) : [from]))
    }
    for (const entry of ['sdk', 'webhooks', 'no-local']) expect(walk(join(here.folder, `node_modules/crm-connector/dist/${entry}.js`)), entry).toEqual([])
    expect(seen.size).toBeGreaterThan(3)
  })

  test('verifies webhooks without the rest', async () => {
    const { bytes, imports } = await bundled("export * from 'crm-connector/webhooks'", 'neutral')
    expect(imports).toEqual([])
    expect(bytes).toBeLessThan(4000)
  })
})

test('at the edge it needs only what the web has', async () => {
  const server = await serverForTest()
  const { text } = await bundled("import { connect } from 'crm-connector'; globalThis.connect = connect", 'neutral')
  const web = { fetch, Headers, URL, AbortController, AbortSignal, TextDecoderStream, setTimeout, clearTimeout, crypto, performance }
  const context = createContext({ ...web, baseUrl: server.url, key: server.key })
  runInContext(text, context)
  const first = `(async () => {
    const crm = connect({ baseUrl, key })
    await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
    for await (const { Type } of crm.events.follow({ after: '0' })) return Type
  })()`
  expect(await runInContext(first, context)).toBe('lead.created')
})

describe('in Node', () => {
  test('both ways work, and all entry points throw the same error', async () => {
    const server = await serverForTest()
    here.write(
      'both.js',
      `import { connect, CrmError } from 'crm-connector'
       import { CrmError as OfContract } from 'crm-connector/contract'
       import { CrmError as OfWebhooks } from 'crm-connector/webhooks'
       const found = []
       for (const options of [{ baseUrl: process.argv[2], key: process.argv[3] }, { platform: 'sqlite:data/crm.db' }]) {
         const crm = connect(options)
         await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' })
         for await (const { LastName } of crm.leads.all()) found.push(LastName)
         const error = await crm.leads.get({ LeadID: 'nobody' }).catch((reason) => reason)
         found.push(...[CrmError, OfContract, OfWebhooks].map((one) => error instanceof one), error.code)
         await crm.close()
       }
       console.log(JSON.stringify(found))`,
    )
    const once = ['Lovelace', true, true, true, 'not_found']
    expect(JSON.parse(await here.node('both.js', server.url, server.key))).toEqual([...once, ...once])
  })

  test('the command finds packages that are linked, also when its input is a pipe', async () => {
    const main = join(here.folder, 'node_modules/crm-connector/dist/main.js')
    const { stdout } = await promisify(exec)(`echo '{"Limit":1}' | ${process.execPath} ${main} get_many_leads --json -`, { cwd: here.folder })
    expect(JSON.parse(stdout)).toHaveProperty('Records')
  })

  test('a process that follows its own store lives on, and ends when it has closed it', async () => {
    here.write(
      'follow.js',
      `import { connect } from 'crm-connector'
       const crm = connect({ platform: 'sqlite:followed/crm.db' })
       await crm.users.getCurrent()
       setTimeout(() => crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' }), 300).unref()
       setTimeout(() => crm.leads.create({ FirstName: 'Grace', LastName: 'Hopper' }), 600).unref()
       for await (const { Type, Record } of crm.events.follow()) {
         console.log(Type, Record.LastName)
         if (Record.LastName === 'Hopper') await crm.close()
       }
       console.log('over')`,
    )
    expect(await here.node('follow.js')).toBe('lead.created Lovelace\nlead.created Hopper\nover\n')
  })
})

describe('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(() => browser?.close())

  /** What a page does with the client, once it was bundled. */
  const PAGE = `
    import { connect, CrmError } from 'crm-connector'
    globalThis.tryOut = async (baseUrl, key) => {
      const crm = connect({ baseUrl, key })
      const outcome = {}
      const lead = await crm.leads.create({ FirstName: 'Ada', LastName: 'Lovelace' }, { onOutcome: (known) => Object.assign(outcome, known) })
      const all = []
      for await (const { LastName } of crm.leads.all()) all.push(LastName)
      const refused = await crm.leads.get({ LeadID: 'nobody' }).catch((error) => error instanceof CrmError && error.code)
      let event
      setTimeout(() => crm.leads.update({ LeadID: lead.LeadID, FieldsToUpdate: { Phone: '1' } }), 200)
      for await (const one of crm.events.follow({ after: '0' })) if ((event = one).Type === 'lead.updated') break
      const local = await connect({ platform: 'sqlite:crm.db' }).leads.getMany().catch((error) => error instanceof CrmError && error.code)
      return { all, refused, event: event.Record.Phone, local, changeId: typeof outcome.changeId, disposes: typeof crm.close }
    }`

  /** Where there is a page that runs this code; nobody else's origin. */
  async function pageWith(code: string): Promise<string> {
    const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(`<script type="module">${code}</script>`))
    await once(site.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => {
      site.closeAllConnections()
      site.close()
    })
    return `http://127.0.0.1:${(site.address() as AddressInfo).port}`
  }

  const BUNDLERS: { readonly [name: string]: () => Promise<string> } = {
    esbuild: async () => (await bundled(PAGE, 'browser')).text,
    async vite() {
      here.write('page.js', PAGE)
      const built = await viteBuild({
        root: here.folder,
        configFile: false,
        logLevel: 'silent',
        build: { write: false, minify: true, rolldownOptions: { input: join(here.folder, 'page.js'), output: { codeSplitting: false } } },
      })
      const [{ output }] = [built].flat() as unknown as [{ output: { code: string }[] }]
      expect(output).toHaveLength(1)
      return output[0]?.code ?? ''
    },
  }

  test.each(Object.entries(BUNDLERS))('what %s makes of a page that imports it works there', async (_, bundle) => {
    const code = await bundle()
    expect(code).not.toMatch(/node:/)
    const origin = await pageWith(code)
    const server = await serverForTest({ corsOrigin: origin })
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('pageerror', (error) => complaints.push(error.message))
    await page.goto(origin)
    await page.waitForFunction('globalThis.tryOut')
    const found = await page.evaluate(`globalThis.tryOut(${JSON.stringify(server.url)}, ${JSON.stringify(server.key)})`)
    expect(found).toEqual({ all: ['Lovelace'], refused: 'not_found', event: '1', local: 'unsupported', changeId: 'string', disposes: 'function' })
    expect(complaints).toEqual([])
    await page.close()
  })
})
