import { Page } from '../parts/page.tsx'

export function Events() {
  return <Page title="Events">{null}</Page>
}
