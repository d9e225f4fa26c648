/** Runs on Node 24 what a version of Node can change: the lane `node24` of vitest.config.ts. */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const node = `node-linux-${process.arch}@24.21.0`
const words = ['node', 'node_modules/vitest/vitest.mjs', 'run', '--mode', 'node24', ...process.argv.slice(2)]
const { status } = spawnSync('npm', ['exec', '--yes', `--package=${node}`, '--', ...words], { cwd: root, stdio: 'inherit' })
process.exit(status ?? 1)
