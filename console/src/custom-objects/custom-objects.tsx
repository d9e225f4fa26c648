import { Page } from '../parts/page.tsx'

export function CustomObjects() {
  return <Page title="Custom objects">{null}</Page>
}
