/** npm run bench [http | start | growth]: every figure is a ratio of two sides measured in this run. A whole run is written to bench/results/. */
import { growth } from './growth.ts'
import { httpRatios } from './http.ts'
import { report } from './report.ts'
import { startup } from './startup.ts'

const only = process.argv[2]
const results = [
  ...(only && only !== 'http' ? [] : await httpRatios()),
  ...(only && only !== 'start' ? [] : [await startup()]),
  ...(only && only !== 'growth' ? [] : await growth()),
]
process.exitCode = report(only ? undefined : 'foundation', results) ? 0 : 1
