import { Campaign } from '../../../contract/records/campaign.ts'
import { typeOn } from '../../call/extension.ts'
import { idOf } from '../../call/records.ts'
import { isDerived } from '../../journal/changes.ts'
import { rowOf } from '../mirrored.ts'
import { isSameVersion, type Watched } from '../watched.ts'

/** Brings up what the platform derives from the members of campaigns, such as their number: no date and no version tells of it, and it is not announced. */
export async function refreshCampaigns({ workspace, platform, records, store }: Watched, ids: ReadonlySet<string>): Promise<void> {
  const type = typeOn(platform, Campaign)
  if (ids.size === 0 || !Object.keys(type.fields).some((name) => isDerived(type, name))) return
  const now = await records.getAll(type.name, [...ids])
  await store.write(workspace.number, async (writer) => {
    const mirror = writer.inMirror()
    for (const campaign of now) {
      const row = await mirror.get(type.name, idOf(type, campaign))
      if (row && isSameVersion(platform, row, campaign)) await mirror.update(type.name, idOf(type, campaign), rowOf(type, campaign))
    }
  })
}
