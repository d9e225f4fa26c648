import { Page } from '../parts/page.tsx'

export function Changes() {
  return <Page title="Changes">{null}</Page>
}
