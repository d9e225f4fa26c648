/** The address of the service, under whatever path a proxy serves it. */
export const baseUrl = new URL('.', window.location.href.split(/[?#]/)[0]).href.replace(/\/$/, '')
