import { Page } from '../parts/page.tsx'

export const Leads = () => <Page title="Leads">{null}</Page>
export const Opportunities = () => <Page title="Opportunities">{null}</Page>
export const Cases = () => <Page title="Cases">{null}</Page>
export const Campaigns = () => <Page title="Campaigns">{null}</Page>
