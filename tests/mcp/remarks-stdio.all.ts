import { expect, test } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { REVISIONS, type Revision, talkToCommand } from '../support/mcp.ts'
import { serverForTest } from '../support/server.ts'

/** The slips of an agent over stdio, on a store of its own or through a server. */
async function slips(env: { readonly [name: string]: string }, revision: Revision) {
  const cwd = await temporaryFolder()
  const start = () => talkToCommand([], { cwd, env }, { revision })
  const [agent, another] = [await start(), await start()]
  const ada = { FirstName: 'Ada', LastName: `Lovelace ${revision}`, Status: 'open' }
  const first = (await agent.call('create_a_lead', ada)).says
  expect(first.Remarks).toEqual([expect.stringContaining('near "Open"')])
  // The journal knows what another process has made.
  expect((await another.call('create_a_lead', ada)).says.Remarks).toEqual(expect.arrayContaining([expect.stringContaining(`LeadID ${first.LeadID}.`)]))
  await another.call('update_lead', { LeadID: first.LeadID, FieldsToUpdate: { Phone: '1' } })
  const { says } = await agent.call('update_lead', { LeadID: first.LeadID, FieldsToUpdate: { Phone: '2' } })
  expect(says.Remarks).toEqual([
    expect.stringMatching(/was changed by this user at \S+ \(Phone\) since you read it at Revision 1\. Your write has replaced Phone \("1"\)/),
  ])
}

test.each(REVISIONS)('slips are remarked on over stdio, on a store (%s)', (revision) => slips({}, revision))

test.each(REVISIONS)('slips are remarked on over stdio, through a server (%s)', async (revision) => {
  const server = await serverForTest()
  await slips({ CRM_URL: server.url, CRM_KEY: server.key }, revision)
})
