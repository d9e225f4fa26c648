import { Page } from '../parts/page.tsx'

export function Operations() {
  return <Page title="Operations">{null}</Page>
}
