import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, absentLead, allPages, engine, JAM, newestFirst } from './records.ts'

const idsOf = <R>(records: readonly R[], id: keyof R) => records.map((record) => record[id])

export const notesAndComments = theme('notes and comments', [
  behaviour("a note answers with itself and the record's id", async (context) => {
    const { crm, userId } = await context.as()
    const { LeadID } = await crm.leads.create(ADA)
    const { OpportunityID } = await crm.opportunities.create(engine(context))

    const onLead = await crm.leads.addNote({ LeadID, Note: 'Rings back.' })
    const AuthorID = context.lacks('note authors') ? onLead.AuthorID : userId
    assert.deepEqual({ ...onLead }, { NoteID: onLead.NoteID, Note: 'Rings back.', AuthorID, CreatedDate: onLead.CreatedDate, LeadID })
    const onDeal = await crm.opportunities.addNote({ OpportunityID, Note: 'On Monday.' })
    assert.deepEqual({ ...onDeal }, { NoteID: onDeal.NoteID, Note: 'On Monday.', AuthorID, CreatedDate: onDeal.CreatedDate, OpportunityID })

    const { LeadID: _, ...note } = onLead
    assert.deepEqual((await crm.leads.get({ LeadID })).Notes, [note])
    const { OpportunityID: __, ...dealNote } = onDeal
    assert.deepEqual((await crm.opportunities.get({ OpportunityID })).Notes, [dealNote])
  }),

  behaviour("a comment is internal unless published, and answers with itself and the case's id", async ({ as, lacks, refused }) => {
    const { crm, userId } = await as()
    const { CaseID } = await crm.cases.create(JAM)
    const first = await crm.cases.addComment({ CaseID, Comment: 'Looking.' })
    const AuthorID = lacks('comment authors') ? first.AuthorID : userId
    assert.deepEqual({ ...first }, { CommentID: first.CommentID, Comment: 'Looking.', Publish: false, AuthorID, CreatedDate: first.CreatedDate, CaseID })
    const made = [first]
    const publish = () => crm.cases.addComment({ CaseID, Comment: 'Sent.', Publish: true })
    if (lacks('published comments')) await refused(publish(), 'unsupported', { field: 'Publish' })
    else {
      made.push(await publish())
      assert.equal(made[1]?.Publish, true)
    }
    made.push(await crm.cases.addComment({ CaseID, Comment: 'No.', Publish: false }))
    assert.equal(made.at(-1)?.Publish, false)

    const { Comments, CommentsTotal } = await crm.cases.get({ CaseID })
    assert.deepEqual(
      Comments,
      newestFirst({ lacks }, made, 'CommentID').map(({ CaseID: _, ...comment }) => comment),
    )
    assert.equal(CommentsTotal, made.length)
  }),

  behaviour('a lead shows its 100 newest notes beside their full count, and the rest come in pages', async (context) => {
    const { crm } = context
    const { LeadID } = await crm.leads.create(ADA)
    const made: { readonly NoteID: string; readonly Note: string; readonly CreatedDate: string }[] = []
    for (let at = 0; at < 101; at++) made.push(await crm.leads.addNote({ LeadID, Note: `note ${at}` }))
    const written = newestFirst(context, made, 'NoteID').map(({ Note }) => Note)

    const { Notes, NotesTotal } = await crm.leads.get({ LeadID })
    assert.equal(NotesTotal, 101)
    assert.deepEqual(
      Notes.map(({ Note }) => Note),
      written.slice(0, 100),
    )
    const paged = await allPages((Cursor) => crm.notes.getMany({ RecordID: LeadID, Limit: 40, Cursor }))
    assert.deepEqual(
      paged.map(({ Note }) => Note),
      written,
    )
    assert.deepEqual(paged.slice(0, 100), Notes)
    const first = await crm.notes.getMany({ RecordID: LeadID })
    assert.deepEqual([first.Records.length, typeof first.NextCursor], [100, 'string'])
  }),

  behaviour('an opportunity shows its 100 newest notes, a case its 100 newest comments', async (context) => {
    const { crm } = context
    const { OpportunityID } = await crm.opportunities.create(engine(context))
    const { CaseID } = await crm.cases.create(JAM)
    const [notes, comments]: [{ NoteID: string; CreatedDate: string }[], { CommentID: string; CreatedDate: string }[]] = [[], []]
    for (let at = 0; at < 101; at++) {
      notes.push(await crm.opportunities.addNote({ OpportunityID, Note: `note ${at}` }))
      comments.push(await crm.cases.addComment({ CaseID, Comment: `comment ${at}` }))
    }
    const deal = await crm.opportunities.get({ OpportunityID })
    assert.deepEqual([deal.Notes.length, deal.NotesTotal], [100, 101])
    assert.deepEqual(idsOf(deal.Notes, 'NoteID'), idsOf(newestFirst(context, notes, 'NoteID').slice(0, 100), 'NoteID'))
    const asked = await crm.cases.get({ CaseID })
    assert.deepEqual([asked.Comments.length, asked.CommentsTotal], [100, 101])
    assert.deepEqual(idsOf(asked.Comments, 'CommentID'), idsOf(newestFirst(context, comments, 'CommentID').slice(0, 100), 'CommentID'))
    assert.equal((await allPages((Cursor) => crm.notes.getMany({ RecordID: OpportunityID, Limit: 7, Cursor }))).length, 101)
    assert.equal((await allPages((Cursor) => crm.comments.getMany({ CaseID, Limit: 1000, Cursor }))).length, 101)
  }),

  behaviour('a record without notes or comments has empty pages', async (context) => {
    const { CaseID } = await context.crm.cases.create(JAM)
    const { OpportunityID } = await context.crm.opportunities.create(engine(context))
    assert.deepEqual({ ...(await context.crm.comments.getMany({ CaseID })) }, { Records: [], NextCursor: null })
    assert.deepEqual({ ...(await context.crm.notes.getMany({ RecordID: OpportunityID })) }, { Records: [], NextCursor: null })
  }),

  behaviour('the author is the one who writes, not the one who owns', async ({ crm, as, lacks }) => {
    const boss = await as({ role: 'manager' })
    const member = await as({ manager: boss.userId })
    const { LeadID } = await member.crm.leads.create(ADA)
    const { AuthorID } = await boss.crm.leads.addNote({ LeadID, Note: 'Seen.' })
    if (!lacks('note authors')) assert.equal(AuthorID, boss.userId)
    const { OwnerID, Notes } = await crm.leads.get({ LeadID })
    assert.deepEqual([OwnerID, Notes[0]?.AuthorID], [member.userId, AuthorID])
  }),

  behaviour('notes and comments must say something and hang on a record that exists', async (context) => {
    const { crm, refused } = context
    const { LeadID } = await crm.leads.create(ADA)
    const { CaseID } = await crm.cases.create(JAM)
    const gone = await absentLead(context)
    await refused(crm.call('add_notes_to_leads', { LeadID }), 'invalid_input', { field: 'Note', code: 'missing' })
    await refused(crm.leads.addNote({ LeadID, Note: ' \n' }), 'invalid_input', { field: 'Note' })
    await refused(crm.cases.addComment({ CaseID, Comment: '' }), 'invalid_input', { field: 'Comment' })
    await refused(crm.call('add_comment', { CaseID, Comment: 'x', Publish: 'yes' }), 'invalid_input', { field: 'Publish', code: 'type' })
    await refused(crm.leads.addNote({ LeadID: gone, Note: 'x' }), 'not_found')
    await refused(crm.opportunities.addNote({ OpportunityID: LeadID, Note: 'x' }), 'not_found')
    await refused(crm.cases.addComment({ CaseID: gone, Comment: 'x' }), 'not_found')
    await refused(crm.notes.getMany({ RecordID: gone }), 'not_found')
    await refused(crm.comments.getMany({ CaseID: gone }), 'not_found')
    assert.equal((await crm.leads.get({ LeadID })).NotesTotal, 0)
    assert.equal((await crm.cases.get({ CaseID })).CommentsTotal, 0)
  }),
])
