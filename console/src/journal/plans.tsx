import { Page } from '../parts/page.tsx'

export function Plans() {
  return <Page title="Confirmations">{null}</Page>
}
