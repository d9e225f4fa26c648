import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'

/** A service in which a signal makes something be thrown outside any call. */
async function serviceWithFault(thrown: string) {
  const folder = await temporaryFolder()
  const script = join(folder, 'fault.mjs')
  writeFileSync(script, `process.on('SIGUSR2', () => setTimeout(() => { ${thrown} }, 0))`)
  return startService(folder, { env: { NODE_OPTIONS: `--import=${script}` } })
}

const IO_ERROR = `Object.assign(new Error('disk I/O error'), { errcode: 10, code: 'ERR_SQLITE_ERROR' })`

test.each([
  ['thrown', `throw ${IO_ERROR}`],
  ['rejected', `void Promise.reject(${IO_ERROR})`],
])('a failure of the store outside any call that is %s is logged, and the service goes on', async (_, thrown) => {
  const service = await serviceWithFault(thrown)
  service.child.kill('SIGUSR2')
  await expect.poll(() => service.err()).toMatch(/disk I\/O error/)
  await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  expect(await service.end()).toBe(0)
})

test.each([
  ['thrown', `throw new Error('nothing we know')`],
  ['rejected', `void Promise.reject(new Error('nothing we know'))`],
])('anything else that is %s outside any call is logged, what is under way ends, and the process exits so that it is started again', async (_, thrown) => {
  const service = await serviceWithFault(thrown)
  await service.call('create_a_lead', { FirstName: 'Ada', LastName: 'Lovelace' })
  service.child.kill('SIGUSR2')
  await expect.poll(() => service.child.exitCode).toBe(1)
  expect(service.err()).toMatch(/nothing we know/)
  expect(service.err()).toMatch(/"level":"fatal".*restart/)
  expect(service.err()).toMatch(/"msg":"stopped"/)
})
