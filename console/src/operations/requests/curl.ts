import { jsonText, type ShownRequest } from './request.ts'

/** A word for the shell. Nothing within single quotes means anything to it but the quote itself. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The call for a POSIX shell, with the key in the variable CRM_KEY. */
export function curlOf({ operation, input, baseUrl, idempotencyKey, dryRun }: ShownRequest): string {
  const headers = ['Content-Type: application/json', ...(idempotencyKey ? [`Idempotency-Key: ${idempotencyKey}`] : []), ...(dryRun ? ['Dry-Run: true'] : [])]
  return [
    `curl -sS ${quoted(`${baseUrl}/v1/operations/${operation.id}`)}`,
    '-H "Authorization: Bearer $CRM_KEY"',
    ...headers.map((header) => `-H ${quoted(header)}`),
    `--data-raw ${quoted(jsonText(input))}`,
  ].join(' \\\n  ')
}
