import { setTimeout as wait } from 'node:timers/promises'
import type { TokenStore, Tokens } from '../../../../src/platforms/crms/engine/kind.ts'

/** A store of tokens that all drivers of a test share, as processes share theirs: one renewal at a time, stored before it is used. */
export class MemoryTokens implements TokenStore {
  tokens: Tokens | undefined
  /** Every refresh token that was ever stored, in order. */
  readonly history: (string | undefined)[] = []
  renewals = 0
  private readonly delayMs: number
  private turn: Promise<unknown> = Promise.resolve()

  constructor(tokens: Tokens | undefined, delayMs = 0) {
    this.delayMs = delayMs
    if (tokens) this.put(tokens)
  }

  put(tokens: Tokens): void {
    this.tokens = tokens
    this.history.push(tokens.refreshToken)
  }

  async read(): Promise<Tokens | undefined> {
    await wait(this.delayMs)
    return this.tokens
  }

  renew(refused: string | undefined, request: (newest: Tokens) => Promise<Tokens>): Promise<Tokens> {
    const renewed = this.turn.then(async () => {
      await wait(this.delayMs)
      const { tokens } = this
      if (!tokens) throw new Error('There are no tokens.')
      if (tokens.accessToken !== refused) return tokens
      this.renewals++
      const next = await request(tokens)
      await wait(this.delayMs)
      this.put(next)
      return next
    })
    this.turn = renewed.catch(() => undefined)
    return renewed
  }
}
