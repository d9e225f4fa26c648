/** The exit code that shells use for an interrupted command. */
export const INTERRUPTED = 130

/** Ends a command with an exit code of its own, without another word. */
export class Ended extends Error {
  readonly code: number

  constructor(code: number) {
    super(`Ended with ${code}.`)
    this.code = code
  }
}
