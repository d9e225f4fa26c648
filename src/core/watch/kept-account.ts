import type { JournalReader } from '../../platforms/store.ts'
import { findDefinitions } from '../call/definitions.ts'
import type { KeptAccount } from '../connections/accounts.ts'
import type { Watched } from './watched.ts'

/** The name of the position that holds it. */
const MIRROR_ACCOUNT = 'mirror account'

/** Keeps what is known of an account, where it has changed. */
export async function keepAccount({ service, workspace: { number }, platform, store }: Watched): Promise<void> {
  const { openedWith, account, supports } = platform
  if (openedWith === undefined) return
  const kept: KeptAccount = { openedWith, account, supports, definitions: await findDefinitions(platform.reader(number), undefined) }
  const text = JSON.stringify(kept)
  if (text !== (await service.store.journal(number).position(MIRROR_ACCOUNT))) await store.write(number, (writer) => writer.setPosition(MIRROR_ACCOUNT, text))
}

/** What was kept of the account that was opened with the same. */
export async function recallAccount(journal: Pick<JournalReader, 'position'>, openedWith: string): Promise<KeptAccount | undefined> {
  const text = await journal.position(MIRROR_ACCOUNT)
  const kept = text === undefined ? undefined : (JSON.parse(text) as KeptAccount)
  return kept?.openedWith === openedWith ? kept : undefined
}
