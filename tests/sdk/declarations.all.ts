import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Consumer, consumer, TSC } from '../support/consumer.ts'

let here: Consumer
beforeAll(async () => {
  here = await consumer({ types: true })
})
afterAll(() => here?.close())

describe('the declarations', () => {
  test.each([
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ])('hold under module %s with resolution %s', async (module, moduleResolution) => {
    here.write('types.ts', readFileSync(join(import.meta.dirname, 'types.ts'), 'utf8'))
    const docs = readFileSync(join(import.meta.dirname, '../../docs/sdk.md'), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```$/gm)
    here.write('docs.ts', [...docs, ['', 'declare const process: { env: { [name: string]: string | undefined } }']].map(([, text]) => text).join('\n'))
    const compilerOptions = {
      module,
      moduleResolution,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
      types: [],
      strict: true,
      noEmit: true,
    }
    const project = here.write(`tsconfig.${module}.json`, JSON.stringify({ compilerOptions, files: ['types.ts', 'docs.ts'] }))
    expect(await here.node(TSC, '-p', project).catch(({ stdout }: { stdout: string }) => stdout)).toBe('')
  })
})
