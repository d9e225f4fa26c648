import { examineConfig } from '../../config/settings.ts'
import type { Finding } from '../../transports/cli/app.ts'
import type { AskStore } from './audit.ts'
import { type DoctorInput, findingsIn } from './findings.ts'

/** The workspaces that rules of the sign-in name and the store does not have: people whom such a rule is for are refused. */
export async function* ruleFindings(area: string, url: string, ask: AskStore, { flags, environment }: DoctorInput): AsyncGenerator<Finding> {
  const { oidc, store } = examineConfig(flags, environment).config
  if (!oidc || url !== store) return
  const known = new Set((await ask('SELECT "Name" FROM "Workspace"', [])).map(({ Name }) => Name))
  const named = [...oidc.rules.map(({ workspace }, i) => [`signIn.rules.${i}`, workspace] as const), ['signIn.unknown', oidc.unknown?.workspace] as const]
  for (const [where, workspace] of named)
    if (workspace !== undefined && !known.has(workspace))
      yield findingsIn(area).bad(
        'Sign-in rules',
        `${where} in crm.config.json is for the workspace ${JSON.stringify(workspace)}, which there is not: the people it is for are refused.`,
        'not_found',
        'Correct its name, or create it: crm workspaces add',
      )
}
