/** The file that settings may come from, in the working directory. */
export const CONFIG_FILE = 'crm.config.json'

export const isStringList = (value: unknown): value is string[] => Array.isArray(value) && value.every((item) => typeof item === 'string')
