import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { storeIn } from '../support/crashes.ts'
import { answerOf, crm } from '../support/crm.ts'
import { noSmallDisk, smallDisk } from '../support/disk.ts'
import { LeadWriter } from '../support/lead-writer.ts'
import { startService } from '../support/service.ts'
import { expectSound } from '../support/sound.ts'

describe.skipIf(noSmallDisk)(`a small disk${noSmallDisk ? ` (skipped: ${noSmallDisk})` : ''}`, () => {
  test('can be full twelve times, with a log that is written back meanwhile, and with crashes', async () => {
    const disk = await smallDisk(400_000_000)
    const writer = new LeadWriter()
    for (let round = 0; round < 12; round++) {
      const service = await startService(disk.folder, { env: { CRM_LOG_LEVEL: 'silent' } })
      // From 16 MB on the log is written back into the file, which grows meanwhile.
      disk.fill(2_000_000 + Math.floor(Math.random() * 30_000_000))
      await writer.untilFull(service)
      await writer.expectAll(service)
      const killed = round % 2 === 0
      if (killed) await service.end('SIGKILL')
      disk.free()
      if (!killed) {
        expect(await writer.write(service, 64)).toBe(0)
        expect(await service.end()).toBe(0)
      }
      await expectSound(storeIn(disk.folder))
    }
    await writer.expectAll(await startService(disk.folder))
  })

  test('can end at any byte of a first start', async () => {
    for (let left = 0; left < 600_000; left += left < 50_000 || (left > 380_000 && left < 520_000) ? 4096 : 32_768) {
      const disk = await smallDisk(4_000_000)
      disk.fill(left)
      const { code, err } = await crm(['get_current_user'], { cwd: disk.folder })
      expect({ left, code, err }).toEqual({ left, code: err === '' ? 0 : 7, err })
      disk.free()
      answerOf(await crm(['create_a_lead', '--FirstName', 'Ada', '--LastName', 'Lovelace'], { cwd: disk.folder }))
      await expectSound(storeIn(disk.folder))
      const service = await startService(disk.folder)
      const keyFile = join(disk.folder, 'data/admin-key')
      expect(existsSync(keyFile) && readFileSync(keyFile, 'utf8')).toMatch(/^crm_/)
      expect(await service.call('get_current_user')).toMatchObject({ Role: 'admin' })
      await service.end()
    }
  })
})
