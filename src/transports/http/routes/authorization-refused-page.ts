import { htmlPage, htmlText } from '../html-page.ts'

/** The page of an authorization that is not sent back to its client. */
export function authorizationRefusedPage(message: string, back?: { readonly address: string; readonly site: string }): string {
  return htmlPage(
    'CRM Connector: sign-in',
    '../docs/',
    `<main class="page narrow">
<h1>This request cannot be answered</h1>
<p>${htmlText(message)}</p>
<p>Start again from the program that sent you here. If it happens again, tell its makers.</p>
${back ? `<p><a href="${htmlText(back.address)}" rel="noreferrer">Return to ${htmlText(back.site)}</a></p>\n` : ''}</main>`,
  )
}
