import type { Command } from 'commander'
import type { Crm } from '../../../contract/client/client.ts'
import { CrmError } from '../../../contract/errors.ts'
import { words } from '../../../contract/record.ts'
import { DEFAULT_WORKSPACE } from '../../../core/access/bootstrap.ts'
import { addWorkspace } from '../../../core/access/new-workspace.ts'
import type { Service } from '../../../core/service.ts'
import { type Shell, settingsOf } from '../app.ts'
import type { Row } from '../cells.ts'
import { note } from '../io.ts'
import { formatOf, present } from '../output.ts'
import { type Watched, watched } from '../progress.ts'
import { type Actors, actorsOn, actorsThrough } from './actors.ts'
import type { Act } from './scene.ts'
import { createStory } from './story.ts'
import { hire } from './team.ts'
import { createTimeline, DAY_MS, type Timeline, withTimeline } from './timeline.ts'

export interface Given {
  readonly size: number
  readonly seed: number
  readonly months: number
  readonly force?: true
  readonly workspace?: string
}

/** The names of the counts in the answer, by operation. */
const COUNTED: { readonly [operation: string]: string } = {
  create_a_lead: 'Leads',
  create_opportunity: 'Opportunities',
  create_case: 'Cases',
  create_company: 'Companies',
  create_contact: 'Contacts',
  create_campaign: 'Campaigns',
  create_custom_object: 'CustomObjects',
  add_leads_to_campaign: 'CampaignMembers',
  add_notes_to_leads: 'Notes',
  add_notes_to_opportunity: 'Notes',
  add_notes_to_company: 'Notes',
  add_comment: 'Comments',
}

const CONVERSION = 'convert_lead'

/** What an act creates, by the names of the counts. */
function madeBy({ operation, input }: Act): readonly string[] {
  if (operation === CONVERSION) return ['Contacts', 'Opportunities', ...(input.CompanyID === undefined ? ['Companies'] : [])]
  const name = COUNTED[operation]
  return name === undefined ? [] : [name]
}

const DAYS_A_MONTH = 30.4

/** The days of the demo; the last of them is today. */
interface Days {
  readonly count: number
  readonly midnightOf: (day: number) => number
}

/** Fills a store, or one workspace, with generated records of some months. */
export async function runDemo(shell: Shell, given: Given, command: Command): Promise<void> {
  const { io } = shell
  const flags = settingsOf(command, shell)
  const isLocal = shell.where(flags).server === undefined
  const moment = Date.now()
  const count = Math.round(given.months * DAYS_A_MONTH)
  const days: Days = { count, midnightOf: (day) => (Math.floor(moment / DAY_MS) - (count - 1) + day) * DAY_MS }
  const afterStop = 'What was made is kept; to begin anew take another store or workspace.'
  const made = await watched(
    io,
    async (how) => {
      if (!isLocal) {
        const crm = await shell.client(flags, { workspace: given.workspace })
        return fill(actorsThrough(crm), given, days, undefined, how).finally(() => crm.close())
      }
      const timeline = createTimeline(given.seed, days.midnightOf(0), moment)
      const { service, close } = await shell.open(flags, false, timeline.now)
      try {
        const key = await workspaceFor(service, given.workspace)
        const actors = await actorsOn(withTimeline(timeline, service), given.workspace)
        return { ...(await fill(actors, given, days, timeline, how)), ...(key !== undefined && { Workspace: given.workspace, Key: key }) }
      } finally {
        await close()
      }
    },
    afterStop,
  )
  await present(io, made, formatOf(command, io))
  if (!isLocal) note(io, 'Through a server everything is of today; on the store itself the demo goes back in time.')
  note(io, LOOK.map((line) => `  ${line}${given.workspace === undefined ? '' : ` --workspace ${given.workspace}`}`).join('\n'))
}

const LOOK = ['crm get_summary_opportunity', 'crm get_many_cases --Filters.Status New', 'crm export leads --to leads.csv', 'crm get_many_changes --Limit 10']

/** Creates the workspace unless it exists; returns its admin's key. */
async function workspaceFor(service: Service, name = DEFAULT_WORKSPACE): Promise<string | undefined> {
  return (await service.store.workspace(name)) ? undefined : (await addWorkspace(service, name)).key
}

async function fill(actors: Actors, { seed, size, force }: Given, days: Days, timeline: Timeline | undefined, { signal, progress }: Watched): Promise<Row> {
  if (!force) await refuseRecords(actors.admin)
  const counts = new Map<string, number>()
  const team = await hire(actors, seed, size)
  const dateOf = (day: number) => new Date(days.midnightOf(day)).toISOString().slice(0, 10)
  const { actsOn } = createStory({ seed, size, days: days.count, dateOf, ...team })
  let done = 0
  for (let day = 0; day < days.count; day++) {
    signal.throwIfAborted()
    const acts = actsOn(day)
    timeline?.begin(days.midnightOf(day), acts.length)
    const answers = await actors.perform(acts)
    for (const [i, act] of acts.entries()) {
      const made = madeBy(act)
      for (const name of made) counts.set(name, (counts.get(name) ?? 0) + 1)
      // A conversion changes the lead too.
      done += act.operation === CONVERSION ? made.length + 1 : 1
      act.after?.(answers[i] as Row)
    }
    const leads = counts.get('Leads') ?? 0
    progress?.({ stage: 'written', table: 'changes', done, rows: undefined, part: leads / size })
  }
  return {
    Seed: seed,
    From: dateOf(0),
    To: dateOf(days.count - 1),
    Users: team.userIds.length,
    ...Object.fromEntries(counts),
    Changes: done + team.userIds.length,
  }
}

/** Refuses to mix generated records with existing ones. */
async function refuseRecords(crm: Crm): Promise<void> {
  const kinds = ['leads', 'opportunities', 'cases', 'companies', 'contacts', 'customObjects', 'campaigns'] as const
  const found = await Promise.all(kinds.map(async (kind) => (await crm[kind].getMany({ Limit: 1 })).Records.length > 0))
  if (!found.includes(true)) return
  const there = kinds.filter((_, i) => found[i]).map((kind) => words(kind).toLowerCase())
  throw new CrmError('conflict', `There are ${there.join(', ')} here already, and invented ones would be mixed with them.`, {
    hint: 'Give the demo a place of its own with --workspace demo or --platform sqlite:demo.db; --force mixes them.',
  })
}
