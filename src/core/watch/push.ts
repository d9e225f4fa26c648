import { createHmac } from 'node:crypto'
import type { Store } from '../../platforms/store.ts'
import { digestOf, sameDigest } from '../access/keys.ts'
import { readPosition } from './positions.ts'
import { accountOf } from './source.ts'
import type { Watched } from './watched.ts'

/** The name of the position that says when an account has told of a change last. */
const PUSHED = 'mirror pushed'

/** An account as the path names it. */
const nameOf = (account: string) => digestOf(account).slice(0, 16)

const tokenOf = ({ secret }: Store, workspace: number, account: string) =>
  createHmac('sha256', secret).update(`push ${workspace} ${account}`).digest('base64url')

/**
 * The path at which an account tells that something was changed in it. It cannot be guessed, and what is sent there is not read: a push only makes the next poll
 * come at once.
 */
export function pushPath(store: Store, workspace: number, account: string): string {
  const digest = nameOf(account)
  return `/push/${workspace}/${digest}/${tokenOf(store, workspace, digest)}`
}

/** Whether a path was made here, for whatever account it was. The store is not asked. */
export function isPushPath(store: Store, workspace: number, digest: string, token: string): boolean {
  return sameDigest(digestOf(token), digestOf(tokenOf(store, workspace, digest)))
}

/** Has the next poll of an account come at once, by whichever process. False where it is not the account that is followed. */
export async function notePush(store: Store, workspace: number, digest: string): Promise<boolean> {
  const position = await readPosition(store.journal(workspace))
  if (!position || nameOf(position.account) !== digest) return false
  await store.write(workspace, (writer) => writer.setPosition(PUSHED, writer.now()))
  return true
}

/** The accounts that tell of changes by themselves. */
export class Pushes {
  private readonly store: Store
  private readonly publicUrl: string | undefined
  /** The accounts that were asked to, and those that cannot, by the number of the workspace. */
  private readonly asked = new Map<number, string>()
  private readonly last = new Map<number, string | undefined>()

  constructor({ store, publicUrl }: { readonly store: Store; readonly publicUrl: string | undefined }) {
    this.store = store
    this.publicUrl = publicUrl
  }

  /** Asks an account to tell of changes, once in the life of the process. One that does not let us is polled in each interval. */
  async subscribe({ platform, feed, workspace: { number } }: Watched): Promise<void> {
    const account = accountOf(platform)
    if (this.publicUrl === undefined || !feed.subscribe || this.asked.get(number) === account) return
    this.asked.set(number, account)
    // Read before, so that a push which comes meanwhile is not missed.
    const last = await this.store.journal(number).position(PUSHED)
    try {
      await feed.subscribe(this.publicUrl, pushPath(this.store, number, account))
      this.last.set(number, last)
    } catch (error) {
      if (platform.classify(error)?.code !== 'forbidden') this.asked.delete(number)
    }
  }

  /** Whether an account has told of a change since it was asked last. */
  async came(number: number): Promise<boolean> {
    if (!this.last.has(number)) return false
    const now = await this.store.journal(number).position(PUSHED)
    const isNew = now !== this.last.get(number)
    this.last.set(number, now)
    return isNew
  }
}
