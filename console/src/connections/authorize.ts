import type { Crm } from 'crm-connector'

/** Where a person allows the connection in. It works once. */
export type AuthorizationLink = Awaited<ReturnType<Crm['connections']['authorize']>>

/** The address that the app has to allow, since the CRM sends the person back there. */
export const redirectAddress = (link: string) => new URL('callback', link).href
