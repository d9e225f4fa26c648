import type { Crm } from 'crm-connector'

export type Connection = Awaited<ReturnType<Crm['connections']['getMany']>>['Records'][number]
export type Mirror = Awaited<ReturnType<Crm['connections']['getMirror']>>
export type Findings = Awaited<ReturnType<Crm['connections']['test']>>['Findings']
