import assert from 'node:assert/strict'
import { behaviour, theme } from './behaviour.ts'
import { ADA, absentLead, allPages, engine, JAM } from './records.ts'

export const notesAndComments = theme('notes and comments', [
  behaviour("a note answers with itself and the record's id", async (context) => {
    const { crm, userId } = await context.as()
    const { LeadID } = await crm.leads.create(ADA)
    const { OpportunityID } = await crm.opportunities.create(engine(context))

    const onLead = await crm.leads.addNote({ LeadID, Note: 'Rings back.' })
    assert.deepEqual({ ...onLead }, { NoteID: onLead.NoteID, Note: 'Rings back.', AuthorID: userId, CreatedDate: onLead.CreatedDate, LeadID })
    const onDeal = await crm.opportunities.addNote({ OpportunityID, Note: 'On Monday.' })
    assert.deepEqual({ ...onDeal }, { NoteID: onDeal.NoteID, Note: 'On Monday.', AuthorID: userId, CreatedDate: onDeal.CreatedDate, OpportunityID })

    const { LeadID: _, ...note } = onLead
    assert.deepEqual((await crm.leads.get({ LeadID })).Notes, [note])
    const { OpportunityID: __, ...dealNote } = onDeal
    assert.deepEqual((await crm.opportunities.get({ OpportunityID })).Notes, [dealNote])
  }),

  behaviour("a comment is internal unless published, and answers with itself and the case's id", async ({ as }) => {
    const { crm, userId } = await as()
    const { CaseID } = await crm.cases.create(JAM)
    const first = await crm.cases.addComment({ CaseID, Comment: 'Looking.' })
    assert.deepEqual(
      { ...first },
      { CommentID: first.CommentID, Comment: 'Looking.', Publish: false, AuthorID: userId, CreatedDate: first.CreatedDate, CaseID },
    )
    const second = await crm.cases.addComment({ CaseID, Comment: 'Sent.', Publish: true })
    assert.equal(second.Publish, true)
    assert.equal((await crm.cases.addComment({ CaseID, Comment: 'No.', Publish: false })).Publish, false)

    const { Comments, CommentsTotal } = await crm.cases.get({ CaseID })
    assert.deepEqual(
      Comments.map(({ Comment, Publish }) => [Comment, Publish]),
      [
        ['No.', false],
        ['Sent.', true],
        ['Looking.', false],
      ],
    )
    assert.equal(CommentsTotal, 3)
  }),

  behaviour('a lead shows its 100 newest notes beside their full count, and the rest come in pages', async ({ crm }) => {
    const { LeadID } = await crm.leads.create(ADA)
    const written = Array.from({ length: 101 }, (_, at) => `note ${at}`)
    for (const Note of written) await crm.leads.addNote({ LeadID, Note })

    const { Notes, NotesTotal } = await crm.leads.get({ LeadID })
    assert.equal(NotesTotal, 101)
    assert.deepEqual(
      Notes.map(({ Note }) => Note),
      written.slice(1).reverse(),
    )
    const paged = await allPages((Cursor) => crm.notes.getMany({ RecordID: LeadID, Limit: 40, Cursor }))
    assert.deepEqual(
      paged.map(({ Note }) => Note),
      written.toReversed(),
    )
    assert.deepEqual(paged.slice(0, 100), Notes)
    const first = await crm.notes.getMany({ RecordID: LeadID })
    assert.deepEqual([first.Records.length, typeof first.NextCursor], [100, 'string'])
  }),

  behaviour('an opportunity shows its 100 newest notes, a case its 100 newest comments', async (context) => {
    const { crm } = context
    const { OpportunityID } = await crm.opportunities.create(engine(context))
    const { CaseID } = await crm.cases.create(JAM)
    for (let at = 0; at < 101; at++) {
      await crm.opportunities.addNote({ OpportunityID, Note: `note ${at}` })
      await crm.cases.addComment({ CaseID, Comment: `comment ${at}` })
    }
    const deal = await crm.opportunities.get({ OpportunityID })
    assert.deepEqual([deal.Notes.length, deal.NotesTotal, deal.Notes[0]?.Note, deal.Notes[99]?.Note], [100, 101, 'note 100', 'note 1'])
    const asked = await crm.cases.get({ CaseID })
    assert.deepEqual([asked.Comments.length, asked.CommentsTotal, asked.Comments[0]?.Comment], [100, 101, 'comment 100'])
    assert.equal((await allPages((Cursor) => crm.notes.getMany({ RecordID: OpportunityID, Limit: 7, Cursor }))).length, 101)
    assert.equal((await allPages((Cursor) => crm.comments.getMany({ CaseID, Limit: 1000, Cursor }))).length, 101)
  }),

  behaviour('a record without notes or comments has empty pages', async (context) => {
    const { CaseID } = await context.crm.cases.create(JAM)
    const { OpportunityID } = await context.crm.opportunities.create(engine(context))
    assert.deepEqual({ ...(await context.crm.comments.getMany({ CaseID })) }, { Records: [], NextCursor: null })
    assert.deepEqual({ ...(await context.crm.notes.getMany({ RecordID: OpportunityID })) }, { Records: [], NextCursor: null })
  }),

  behaviour('the author is the one who writes, not the one who owns', async ({ crm, as }) => {
    const boss = await as({ role: 'manager' })
    const member = await as({ manager: boss.userId })
    const { LeadID } = await member.crm.leads.create(ADA)
    assert.equal((await boss.crm.leads.addNote({ LeadID, Note: 'Seen.' })).AuthorID, boss.userId)
    const { OwnerID, Notes } = await crm.leads.get({ LeadID })
    assert.deepEqual([OwnerID, Notes[0]?.AuthorID], [member.userId, boss.userId])
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
