import { type GetPromptResult, type Prompt, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { LIMITS } from '../../contract/limits.ts'
import { quote } from '../../contract/operations.ts'
import { Case } from '../../contract/records/case.ts'
import { Lead } from '../../contract/records/lead.ts'
import { User } from '../../contract/records/user.ts'
import { quoted } from '../../contract/visible-text.ts'
import type { Session } from './backend.ts'
import { type Completion, completeChoice, completeFrom, completeId } from './completion.ts'
import { unknownName } from './protocol.ts'
import { offeredTools } from './tool-filter.ts'
import { MAX_TEXT } from './truncate.ts'

interface Job {
  readonly prompt: Prompt
  /** The tools it requires. */
  readonly needs: readonly string[]
  /** How its arguments are completed. */
  readonly completes: { readonly [name: string]: (session: Session, typed: string) => Promise<Completion> | Completion }
  /** The arguments that are whole numbers, and the largest that makes sense. */
  readonly numbers?: { readonly [name: string]: number }
  render(given: { readonly [name: string]: string | undefined }): string
}

const JOBS: readonly Job[] = [
  {
    prompt: {
      name: 'qualify_lead',
      title: 'Qualify a new lead',
      description: 'Looks at a lead, finds out what is known, and says whether it is worth pursuing.',
      arguments: [
        { name: 'LeadID', description: 'The lead; the newest open one unless given.' },
        { name: 'Criteria', description: 'What makes a lead worth pursuing, in your own words.' },
      ],
    },
    completes: { LeadID: (session, typed) => completeId(session, Lead, typed) },
    needs: ['get_leads', 'get_many_leads', 'update_lead', 'add_notes_to_leads'],
    render: ({ LeadID, Criteria }) => `Qualify ${LeadID ? `the lead ${quoted(LeadID)}` : 'the newest lead whose Status is Open (get_many_leads, Limit 1)'}.

1. Read it with get_leads: its fields, notes and campaigns.
2. Look for duplicates: get_many_leads by the same Email, then by the same LastName.
3. Judge it${Criteria ? ` by these criteria: ${quoted(Criteria)}` : ': can it be reached, does it know what it wants, is there a next step'}. Say what speaks for it, what against, and what is missing. Make nothing up.
4. Propose a Status and a next step, and show me what you would write (update_lead with DryRun, and the note).
5. When I agree, write it: update_lead with IfRevision, then add_notes_to_leads with the reasons in two sentences.`,
  },
  {
    prompt: {
      name: 'review_pipeline',
      title: 'Review the pipeline',
      description: 'Sums up the opportunities and names those that need attention.',
      arguments: [
        { name: 'UserID', description: 'Only this user’s opportunities.' },
        { name: 'Days', description: 'How many days ahead to look; 30 unless given.' },
      ],
    },
    completes: { UserID: (session, typed) => completeId(session, User, typed), Days: (_, typed) => completeFrom(['7', '14', '30', '60', '90'], typed) },
    needs: ['get_summary_opportunity', 'get_many_opportunities'],
    numbers: { Days: 3650 },
    render: ({ UserID, Days = '30' }) => `Review the pipeline${UserID ? ` of the user ${quoted(UserID)}` : ''}.

1. get_summary_opportunity${UserID ? ` with UserID ${quoted(UserID)}` : ''}: total and open amounts, by stage, win rate, overdue, closing soon.
2. get_many_opportunities: those that are open and past their CloseDate, then those that close within ${Days} days, largest Amount first${UserID ? `, each with the filter OwnerID ${quoted(UserID)}` : ''}.
3. Report in this order: the figures in one line each; what is overdue; what closes within ${Days} days; what looks wrong (no Amount, a CloseDate long past, nothing updated for weeks). Name each opportunity with its id, Stage, Amount and CloseDate.
4. End with the three things to do first. Change nothing unless I ask for it.`,
  },
  {
    prompt: {
      name: 'clear_case_queue',
      title: 'Clear the case queue',
      description: 'Works off open cases, oldest first, with a draft of an answer for each.',
      arguments: [
        { name: 'Count', description: 'How many cases; 5 unless given.' },
        { name: 'Status', description: 'Only cases with this Status; all that are not Closed unless given.' },
      ],
    },
    completes: {
      Status: (session, typed) => completeChoice(session, Case.name, 'Status', typed),
      Count: (_, typed) => completeFrom(['5', '10', '20', '50'], typed),
    },
    needs: ['get_many_cases', 'get_case', 'add_comment', 'update_case'],
    numbers: { Count: LIMITS.page },
    render: ({ Count = '5', Status }) => `Work off the ${Count} oldest cases ${Status ? `whose Status is ${quoted(Status)}` : 'that are not Closed'}.

1. get_many_cases with OrderBy "CreatedDate asc", Limit ${Count} and Filters ${quoted({ Status: Status ?? { ne: 'Closed' } })}.
2. For each, read it with get_case and its comments, and look for earlier cases about the same with get_many_cases (Subject contains).
3. For each, show me: what is asked, what was answered before, and a draft of the next comment, marked as internal or for the customer (Publish).
4. When I agree to one, add_comment with it, then update_case to the Status that fits, with IfRevision. Go on with the next.`,
  },
]

async function offeredJobs({ backend, filter }: Session): Promise<readonly Job[]> {
  const names = new Set(offeredTools(await backend.access(), filter).map(({ id }) => id))
  return JOBS.filter(({ needs }) => needs.every((need) => names.has(need)))
}

/** The prompts whose tools are all offered to the caller. */
export async function listPrompts(session: Session): Promise<Prompt[]> {
  return (await offeredJobs(session)).map(({ prompt }) => prompt)
}

async function jobNamed(session: Session, name: string): Promise<Job> {
  const jobs = await offeredJobs(session)
  const job = jobs.find(({ prompt }) => prompt.name === name)
  if (job) return job
  throw unknownName(
    'prompt',
    name,
    jobs.map(({ prompt }) => prompt.name),
  )
}

function checkArgument({ prompt }: Job, argument: string): void {
  const known = (prompt.arguments ?? []).map(({ name }) => name)
  if (!known.includes(argument)) throw unknownName('argument', argument, known)
}

/** Proposes values of an argument; none for those in free words. */
export async function completePrompt(session: Session, name: string, argument: string, typed: string): Promise<Completion> {
  const job = await jobNamed(session, name)
  checkArgument(job, argument)
  return (await job.completes[argument]?.(session, typed)) ?? { values: [] }
}

export async function getPrompt(session: Session, name: string, given: { readonly [name: string]: string } = {}): Promise<GetPromptResult> {
  const job = await jobNamed(session, name)
  for (const [argument, text] of Object.entries(given)) {
    checkArgument(job, argument)
    if (text.length > MAX_TEXT) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${argument} may have ${MAX_TEXT} characters, not ${text.length}.`)
  }
  for (const [argument, most] of Object.entries(job.numbers ?? {})) checkNumber(argument, given[argument], most)
  return { description: job.prompt.description ?? name, messages: [{ role: 'user', content: { type: 'text', text: job.render(given) } }] }
}

function checkNumber(argument: string, text: string | undefined, most: number): void {
  if (text === undefined || (/^[1-9]\d*$/.test(text) && Number(text) <= most)) return
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `${argument} must be a whole number from 1 to ${most}, not ${quote(text)}.`)
}
