import { CrmError } from '../contract/errors.ts'

/** Explains why listening failed. `by` names the flags or variables of host and port. */
export function listenError(
  error: unknown,
  { host, port }: { readonly host: string; readonly port: number },
  by: { readonly host: string; readonly port: string },
): Error {
  const code = (error as { code?: string }).code
  if (code === 'EADDRINUSE')
    return new CrmError('platform_unavailable', `Port ${port} on ${host} is already in use.`, { hint: `Choose another with ${by.port}; 0 takes any free one.` })
  if (code === 'EACCES')
    return new CrmError('forbidden', `Port ${port} on ${host} may not be used by this user.`, { hint: `Choose one above 1023 with ${by.port}.` })
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new CrmError('invalid_input', `${host} is not an address of this machine.`, { hint: `Choose another with ${by.host}.` })
  return error as Error
}
