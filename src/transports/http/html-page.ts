/** A whole page. `assets` is where the assets are from there. */
export function htmlPage(title: string, assets: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${htmlText(title)}</title>
<link rel="icon" type="image/svg+xml" href="${assets}icon.svg">
<link rel="stylesheet" href="${assets}page.css">
</head>
<body>
${body}
</body>
</html>
`
}

export const htmlText = (raw: string) => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
