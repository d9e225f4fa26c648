import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** A build of an earlier commit in a folder of its own, until it is removed. */
export function buildBefore(folder: string, commit: string): { readonly path: string; remove(): void } {
  const path = join(folder, 'before')
  execFileSync('git', ['worktree', 'add', '--quiet', '--detach', path, commit])
  for (const command of [['ci'], ['run', 'build']]) execFileSync('npm', command, { cwd: path, stdio: 'ignore' })
  return { path, remove: () => void execFileSync('git', ['worktree', 'remove', '--force', path]) }
}
