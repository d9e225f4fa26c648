import { jsonText, type ShownRequest } from './request.ts'

/** Quoted for a POSIX shell. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** The call as a curl command, with the key in the variable CRM_KEY. */
export function curlOf({ operation, input, baseUrl, idempotencyKey, dryRun }: ShownRequest): string {
  const headers = ['Content-Type: application/json', ...(idempotencyKey ? [`Idempotency-Key: ${idempotencyKey}`] : []), ...(dryRun ? ['Dry-Run: true'] : [])]
  return [
    `curl -sS ${quoted(`${baseUrl}/v1/operations/${operation.id}`)}`,
    '-H "Authorization: Bearer $CRM_KEY"',
    ...headers.map((header) => `-H ${quoted(header)}`),
    `--data-raw ${quoted(jsonText(input))}`,
  ].join(' \\\n  ')
}
