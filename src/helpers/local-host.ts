/** Whether a host, with or without a port, is this machine itself. */
export const isLocalHost = (host: string) => /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i.test(host)
