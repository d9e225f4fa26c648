const WORDS: { readonly [transport: string]: string } = {
  http: 'HTTP',
  mcp: 'agent',
  cli: 'command line',
  sdk: 'SDK',
  crm: 'in the CRM',
  service: 'service',
}

/** How a change came, in words. */
export const transportWord = (transport: unknown) => WORDS[String(transport)] ?? String(transport)
