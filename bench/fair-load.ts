/** node scripts/run.js bench/fair-load.ts LOAD TARGET: one of the loads of `npm run bench fair`, until it is killed. TARGET is JSON. */
import { setMaxListeners } from 'node:events'
import { LOADS } from './fair-loads.ts'

const [load = '', target = ''] = process.argv.slice(2)
const { signal } = new AbortController()
setMaxListeners(0, signal)
LOADS[load]?.(JSON.parse(target), signal)
