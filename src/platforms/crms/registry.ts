import type { Simulate } from 'crm-simulators'
import type { CrmKind, Examine } from './engine/kind.ts'
import type { CrmName } from './names.ts'

/** Everything there is of one CRM. Each part is loaded when it is first needed, so that a command starts without the others. */
export interface CrmParts {
  readonly kind: () => Promise<CrmKind>
  /** What `crm doctor` checks of an account. */
  readonly examination: () => Promise<Examine>
  /** What `crm simulate` starts: on which port, and which values it accepts as secrets. */
  readonly simulator: { readonly port: number; readonly secrets: { readonly [name: string]: string }; readonly load: () => Promise<Simulate> }
}

export const CRMS: { readonly [name in CrmName]: CrmParts } = {
  salesforce: {
    kind: async () => (await import('./salesforce/salesforce.ts')).salesforce,
    examination: async () => (await import('./salesforce/examination.ts')).examine,
    simulator: {
      port: 8485,
      secrets: { clientId: 'simulator', clientSecret: 'simulator' },
      load: async () => (await import('crm-simulators/salesforce')).simulateSalesforce,
    },
  },
  hubspot: {
    kind: async () => (await import('./hubspot/hubspot.ts')).hubspot,
    examination: async () => (await import('./hubspot/examination.ts')).examine,
    simulator: { port: 8486, secrets: { token: 'simulator' }, load: async () => (await import('crm-simulators/hubspot')).simulateHubSpot },
  },
  espocrm: {
    kind: async () => (await import('./espocrm/espocrm.ts')).espocrm,
    examination: async () => (await import('./espocrm/examination.ts')).examine,
    simulator: { port: 8487, secrets: { apiKey: 'simulator' }, load: async () => (await import('crm-simulators/espocrm')).simulateEspoCrm },
  },
}
