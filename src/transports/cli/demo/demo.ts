import type { Command } from 'commander'
import type { Crm } from '../../../contract/client/client.ts'
import { CrmError } from '../../../contract/errors.ts'
import { words } from '../../../contract/record.ts'
import { DEFAULT_WORKSPACE } from '../../../core/access/bootstrap.ts'
import { markDemo } from '../../../core/access/demo-workspaces.ts'
import { addWorkspace } from '../../../core/access/new-workspace.ts'
import type { Service } from '../../../core/service.ts'
import { type Shell, settingsOf } from '../app.ts'
import type { Row } from '../cells.ts'
import { note } from '../io.ts'
import { formatOf, present } from '../output.ts'
import { type Watched, watched } from '../progress.ts'
import { type Actors, actorsOn, actorsThrough } from './actors.ts'
import type { Given } from './defaults.ts'
import type { Act } from './scene.ts'
import { createStory } from './story.ts'
import { hire } from './team.ts'
import { createTimeline, DAY_MS, type Timeline, withTimeline } from './timeline.ts'

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
/** Where the demo goes that is not to be mixed with what is there. */
const OWN_WORKSPACE = 'demo'
/** The platforms that the connector keeps records in itself. */
const STORES = ['sqlite', 'postgres']

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
  const afterStop = 'What was made is kept; to begin anew take another store or workspace.'
  // A terminal shows a bar; elsewhere the first progress is written only after a while.
  if (!io.stderr.isTTY) io.stderr.write(`Generating demo records (--size ${given.size}).\n`)
  const made = await watched(
    io,
    async (how) => {
      if (isLocal) return fillStore((now) => shell.open(flags, { now }), given, how)
      const crm = await shell.client(flags, { workspace: given.workspace })
      return fill(actorsThrough(crm), given, daysUntil(Date.now(), given), undefined, how).finally(() => crm.close())
    },
    afterStop,
  )
  await present(io, made, formatOf(command, io))
  if (!isLocal) note(io, 'Through a server everything is of today; on the store itself the demo goes back in time.')
  const place = made.Workspace === undefined ? '' : ` --workspace ${made.Workspace}`
  if (place) note(io, `It is in the workspace ${made.Workspace}; crm sign-in${place} opens it in the console.`)
  note(io, LOOK.map((line) => `  ${line}${place}`).join('\n'))
}

const daysUntil = (moment: number, { months }: Given): Days => {
  const count = Math.round(months * DAYS_A_MONTH)
  return { count, midnightOf: (day) => (Math.floor(moment / DAY_MS) - (count - 1) + day) * DAY_MS }
}

/** Fills a workspace of a store that is opened for it, with a clock of its own: the records are of the past. */
export async function fillStore(
  open: (now: () => number) => Promise<{ readonly service: Service; close(): Promise<void> }>,
  given: Given,
  how: Watched,
): Promise<Row> {
  const moment = Date.now()
  const days = daysUntil(moment, given)
  const timeline = createTimeline(given.seed, days.midnightOf(0), moment)
  const { service, close } = await open(timeline.now)
  try {
    const { workspace, key } = await placeFor(service, given)
    const actors = await actorsOn(withTimeline(timeline, service), workspace)
    const made = await fill(actors, given, days, timeline, how)
    if (key !== undefined) await markDemo(service, workspace)
    return { ...made, ...(workspace !== DEFAULT_WORKSPACE && { Workspace: workspace }), ...(key !== undefined && { Key: key }) }
  } finally {
    await close()
  }
}

/** Where it goes: as given, or else the first workspace, unless that has records. A workspace that does not exist is made, and its admin's key returned. */
async function placeFor(service: Service, { workspace: given, force }: Given): Promise<{ readonly workspace: string; readonly key?: string }> {
  const first = given === undefined && !force && (await recordsIn((await actorsOn(service, undefined)).admin)).length > 0 ? OWN_WORKSPACE : DEFAULT_WORKSPACE
  const workspace = given ?? first
  if (await service.store.workspace(workspace)) {
    if (first === OWN_WORKSPACE && (await recordsIn((await actorsOn(service, workspace)).admin)).length > 0) throw alreadyThere()
    return { workspace }
  }
  return { workspace, key: (await addWorkspace(service, workspace)).key }
}

const alreadyThere = () =>
  new CrmError('conflict', `The workspace ${OWN_WORKSPACE} is there already, with records in it.`, {
    hint: `crm sign-in --workspace ${OWN_WORKSPACE} opens it. For another demo beside it: crm demo --workspace ${OWN_WORKSPACE}-2`,
  })

const LOOK = ['crm get_summary_opportunity', 'crm get_many_cases --Filters.Status New', 'crm export leads --to leads.csv', 'crm get_many_changes --Limit 10']

async function fill(actors: Actors, { seed, size, force }: Given, days: Days, timeline: Timeline | undefined, { signal, progress }: Watched): Promise<Row> {
  await refuseCrm(actors.admin)
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

/** Generated records are for stores: a CRM belongs to a business, counts requests, and cannot remove what was written. */
async function refuseCrm(crm: Crm): Promise<void> {
  const { Platform } = await crm.describe({})
  if (STORES.includes(Platform)) return
  throw new CrmError('unsupported', `The records are in ${Platform}, and invented ones would be mixed with them. Nothing was written.`, {
    hint: 'Give the demo a store of its own: crm demo --platform sqlite:demo.db, then crm serve --platform sqlite:demo.db',
  })
}

/** Refuses to mix generated records with existing ones. */
async function refuseRecords(crm: Crm): Promise<void> {
  const there = await recordsIn(crm)
  if (there.length === 0) return
  throw new CrmError('conflict', `There are ${there.join(', ')} here already, and invented ones would be mixed with them.`, {
    hint: 'Give the demo a place of its own with --workspace NAME or --platform sqlite:demo.db; --force mixes them.',
  })
}

/** The kinds of records that there are, in words. */
async function recordsIn(crm: Crm): Promise<string[]> {
  const kinds = ['leads', 'opportunities', 'cases', 'companies', 'contacts', 'customObjects', 'campaigns'] as const
  const found = await Promise.all(kinds.map(async (kind) => (await crm[kind].getMany({ Limit: 1 })).Records.length > 0))
  return kinds.filter((_, i) => found[i]).map((kind) => words(kind).toLowerCase())
}
