/** What the tests use of it; the package has no types. */
declare module 'oidc-provider' {
  export class Provider {
    constructor(
      issuer: string,
      configuration: {
        readonly findAccount: (context: unknown, accountId: string) => { accountId: string; claims(): Promise<{ sub: string; [claim: string]: unknown }> }
        readonly [option: string]: unknown
      },
    )
    callback(): (request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => Promise<void>
  }
}
