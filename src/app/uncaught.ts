import type { Logger } from 'pino'
import type { Failure } from '../platforms/platform.ts'

/**
 * The last safety net: what is thrown outside any call, in a timer or by a promise that nothing awaits. A failure of the store (a disk or
 * a database that does not answer, a damaged file) leaves this process sound, so that it is logged and the service goes on. After anything
 * else the state of the process is unknown: resolves, so that the service stops accepting calls and exits, and its supervisor restarts it.
 */
export function uncaught(log: Logger, classify: (error: unknown) => Failure | undefined): Promise<unknown> {
  return new Promise((resolve) => {
    // Rejections that nothing handles arrive here too.
    process.on('uncaughtException', (error) => {
      const failure = classify(error)
      if (failure) log.error({ code: failure.code, hint: failure.hint, stack: error?.stack }, `outside any call: ${failure.message}`)
      else {
        log.fatal({ stack: error?.stack ?? String(error) }, 'an unknown error outside any call: the service stops, restart it and report this line')
        resolve(error)
      }
    })
  })
}
