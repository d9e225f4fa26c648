/** npm run bench [http | oauth | journal | fanout | import | start | growth | search | postgres | postgres-growth | crms | fair | whole-records | sign-in | renewal | workspaces | agents | console]: every figure is the ratio of two sides measured in the same run. Results go to bench/results/. */
import { agentMistakes } from './agents.ts'
import { consoleRatios } from './console.ts'
import { crmRatios } from './crms.ts'
import { fairness } from './fair.ts'
import { fanoutRatios } from './fanout.ts'
import { growth, postgresGrowth } from './growth.ts'
import { httpRatios } from './http.ts'
import { importRatios } from './import.ts'
import { journalRatios } from './journal.ts'
import { oauthRatios } from './oauth.ts'
import { postgresRatios } from './postgres.ts'
import { renewalRatios } from './renewal.ts'
import { type Result, report } from './report.ts'
import { searches } from './search.ts'
import { signInRatios } from './sign-in.ts'
import { startup } from './startup.ts'
import { wholeRecords } from './whole-records.ts'
import { workspaces } from './workspaces.ts'

const PARTS: { readonly [name: string]: () => Promise<readonly Result[]> } = {
  http: httpRatios,
  oauth: oauthRatios,
  journal: journalRatios,
  fanout: fanoutRatios,
  import: importRatios,
  start: async () => [await startup()],
  growth,
  search: searches,
  postgres: postgresRatios,
  'postgres-growth': postgresGrowth,
  crms: crmRatios,
  fair: fairness,
  'whole-records': wholeRecords,
  'sign-in': signInRatios,
  renewal: renewalRatios,
  workspaces,
  agents: agentMistakes,
  console: consoleRatios,
}

const [only] = process.argv.slice(2)
if (only !== undefined && !Object.hasOwn(PARTS, only)) throw new Error(`There is no part called ${only}: ${Object.keys(PARTS).join(', ')}`)
let reached = true
for (const [name, measure] of Object.entries(PARTS)) if (only === undefined || only === name) reached = report(name, await measure()) && reached
process.exitCode = reached ? 0 : 1
