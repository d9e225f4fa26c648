import { supportCase } from './case.ts'
import { account, contact } from './customers.ts'
import type { Scope } from './definition.ts'
import { lead } from './lead.ts'
import { campaign, targetList } from './marketing.ts'
import { note } from './note.ts'
import { opportunity } from './opportunity.ts'
import { role, team, user } from './users.ts'
import { webhook } from './webhook.ts'

/** The standard scopes. */
export const SCOPES: readonly Scope[] = [account, campaign, supportCase, contact, lead, note, opportunity, role, targetList, team, user, webhook]
