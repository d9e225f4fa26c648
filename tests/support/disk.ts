import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Why a small disk cannot be mounted here; undefined if it can. */
export const noSmallDisk: string | undefined = reason()

function reason(): string | undefined {
  if (process.platform !== 'linux') return 'needs tmpfs, which only Linux has'
  if (process.getuid?.() !== 0) return 'needs root, to mount a small tmpfs'
  try {
    // In a private mount namespace, which ends with the command.
    execFileSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', tmpdir()], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'mounting is not allowed here, so there is no small tmpfs'
  }
}

export interface SmallDisk {
  readonly folder: string
  /** Fills the disk, except for this many bytes. */
  fill(left?: number): void
  /** Frees what `fill` took. */
  free(): void
}

/** Mounts a disk of this size for one test. */
export async function smallDisk(bytes: number): Promise<SmallDisk> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'none', folder])
  onTestFinished(async () => {
    // Before Node 24 a closed connection releases its file only when its statements are garbage-collected.
    execFileSync('umount', ['--lazy', folder])
    await rm(folder, { recursive: true })
  })
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill(left = 0) {
      const taken = room(folder) - left
      if (taken <= 0) throw new Error('The disk is too small for that.')
      writeFileSync(ballast, Buffer.alloc(taken))
    },
    free: () => rmSync(ballast),
  }
}

function room(folder: string): number {
  const [, bytes] = execFileSync('df', ['--block-size=1', '--output=avail', folder], { encoding: 'utf8' }).trim().split('\n')
  return Number(bytes)
}
