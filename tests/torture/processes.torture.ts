import { expect, test } from 'vitest'
import { clientsOf } from '../support/clients.ts'
import { expectExactly, storeIn, until } from '../support/crashes.ts'
import { temporaryFolder } from '../support/folder.ts'
import { startService } from '../support/service.ts'
import { expectSound } from '../support/sound.ts'

test('three services on one file, one of which is always being killed, write as if there were one', async () => {
  const cwd = await temporaryFolder()
  const start = () => startService(cwd, { env: { CRM_LOG_LEVEL: 'error' } })
  const services = [await start(), await start(), await start()]
  const clients = clientsOf(48)
  const answered = () => clients.reduce((sum, { done }) => sum + done.length, 0)
  let ended = false

  // Whoever loses their service goes on at the next.
  const writing = Promise.all(
    clients.map(async (client, i) => {
      for (let at = i; !ended; at++) {
        await client.write(services[at % services.length] as (typeof services)[number], () => ended)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }),
  )
  for (let round = 0; round < 40; round++) {
    const before = answered()
    await Promise.race([writing, until(() => answered() > before + 100)])
    const [one] = services.splice(round % 3, 1)
    expect(await one?.end('SIGKILL')).toBe('SIGKILL')
    services.push(await start())
  }
  ended = true
  await writing
  for (const service of services) {
    expect(await service.end()).toBe(0)
    expect(service.err()).toBe('')
  }
  await expectSound(storeIn(cwd))
  await expectExactly(cwd, clients)
})
