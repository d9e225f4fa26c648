import { ERROR_TEXTS } from '../../../contract/error-texts.ts'
import { ERROR_CODES, ERRORS } from '../../../contract/errors.ts'

/** The reference with try-it. Addresses are relative, so that it also works behind a proxy that adds a path. */
export function docsPage(): string {
  return html(
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
    return `<tr id="${code}"><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${retryable ? 'yes' : 'no'}</td><td><strong>${text(title)}.</strong> ${text(means)}</td></tr>`
  })
  return html(
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

/** A whole page. `assets` is where the assets are from there. */
function html(title: string, assets: string, body: string, head = ''): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(title)}</title>
<link rel="icon" type="image/png" href="${assets}favicon-32x32.png">
<link rel="stylesheet" href="${assets}page.css">
${head}</head>
<body>
${body}
</body>
</html>
`
}

const text = (raw: string) => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
