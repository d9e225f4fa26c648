import { ERROR_TEXTS } from '../../../contract/error-texts.ts'
import { ERROR_CODES, ERRORS } from '../../../contract/errors.ts'
import { htmlPage, htmlText } from '../html-page.ts'

/** The reference with try-it. Addresses are relative, so that it also works behind a proxy that adds a path. */
export function docsPage(): string {
  return htmlPage(
    'CRM Connector: API reference',
    'docs/',
    '<div id="reference"></div>\n<script src="docs/swagger-ui-bundle.js"></script>\n<script src="docs/docs.js"></script>',
    '<link rel="stylesheet" href="docs/swagger-ui.css">\n<link rel="stylesheet" href="docs/docs.css">\n',
  )
}

/** The error table, with an anchor for each code: what a problem's `type` points to. */
export function errorsPage(): string {
  const rows = ERROR_CODES.map((code) => {
    const { status, retryable } = ERRORS[code]
    const { title, means } = ERROR_TEXTS[code]
    return `<tr id="${code}"><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${retryable ? 'yes' : 'no'}</td><td><strong>${htmlText(title)}.</strong> ${htmlText(means)}</td></tr>`
  })
  return htmlPage(
    'CRM Connector: errors',
    '',
    `<main class="page">
<p class="trail"><a href="../docs">API reference</a></p>
<h1>Errors</h1>
<p>A refusal is <code>application/problem+json</code> (RFC 9457). Programs act on <code>code</code>, people read <code>detail</code>; <code>errors</code> lists every fault of the input at once, and <code>hint</code> says what to do. The log has everything under <code>requestId</code>.</p>
<div class="wide"><table><thead><tr><th>code</th><th>HTTP</th><th>retry</th><th>meaning</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>
</main>`,
  )
}

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
