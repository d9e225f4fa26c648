import { CRM_SETTINGS_TABLE, defaultPrefix } from '../src/config/crm-settings.ts'
import { fileVariable, secretVariable } from '../src/config/secrets.ts'
import { CRM_NAMES } from '../src/platforms/crms/names.ts'
import { CRMS } from '../src/platforms/crms/registry.ts'
import { cell } from './markdown.ts'

const KINDS = await Promise.all(CRM_NAMES.map(async (name) => [name, await CRMS[name].kind()] as const))

const EXAMPLE = {
  platform: 'salesforce:https://acme.my.salesforce.com',
  workspaces: { sandbox: { platform: 'salesforce:https://acme--dev.sandbox.my.salesforce.com' } },
  platforms: {
    salesforce: { quotaFloor: 500, tables: { Lead: { fields: { Company: { name: 'Company', kind: 'text', label: 'Company' } } } } },
    'salesforce:https://acme--dev.sandbox.my.salesforce.com': { secrets: 'SANDBOX' },
  },
}

/** The settings of CRMs. */
export function crmSections(): string[] {
  const rows = Object.entries(CRM_SETTINGS_TABLE).map(
    ([name, row]) => `| \`${name}\` | ${'number' in row ? `\`${row.number.fallback}\`` : ''} | ${cell(row.help)} |`,
  )
  const secrets = KINDS.flatMap(([name, kind]) =>
    Object.entries(kind.secrets).map(([secret, meaning]) => {
      const variable = secretVariable(defaultPrefix(name), secret)
      return `| [${kind.label}](platforms/${name}.md) | \`${variable}\` | ${cell(meaning)} |`
    }),
  )
  const options = KINDS.flatMap(([name, kind]) =>
    Object.entries(kind.options).map(([option, meaning]) => `| [${kind.label}](platforms/${name}.md) | \`${option}\` | ${cell(meaning)} |`),
  )
  return [
    '## CRMs',
    'Records can live in a CRM; users, keys and the journal then live in a store beside it. Its settings stand in the file under `platforms`, by its name (`salesforce`) for all accounts there or by its whole address for one; those of an address are stronger:',
    `\`\`\`json\n${JSON.stringify(EXAMPLE, null, 2)}\n\`\`\``,
    ['| in the file | default | |', '|---|---|---|', ...rows].join('\n'),
    'In `tables`, a field is its name in the CRM, an object with more, or `null` where it has no place; what is not named stays as it was. An object may have `name`, `kind`, `values` (our words to theirs, one to one, in the place of the usual ones), `closed`, `allowed`, `required`, `defaultValue`, `max`, `maxBytes`, `decimals`, `digits`, `remark` (a sentence that `describe` shows), `filters`, `sorts` and `readOnly`. A field that the contract does not have needs `name` and `kind`, and may have a `label`; from then on it is created, updated, filtered by and answered like any other. `defaults` are what every new record gets in the CRM unless given, by its own names; `null` takes one away.',
    'Its options:',
    ['| | option | |', '|---|---|---|', ...options].join('\n'),
    `Secrets only come from the environment, never from the file, and are never shown. With \`_FILE\` behind its name a variable names a file that holds the secret (\`${fileVariable('CRM_HUBSPOT_TOKEN')}\`). They are sent to the address that the configuration names, so trust everyone who can write \`crm.config.json\` with them.`,
    ['| | variable | |', '|---|---|---|', ...secrets].join('\n'),
    '`crm doctor` reports which of them are set, signs in, and checks whether the account may do what is needed, how much of its quota is left, and how many requests a day the connector has sent in the last week. Two workspaces on one account are a fault, however its address is spelled: an account has no workspaces inside.',
    'A CRM can also come in a package of its own, installed beside the connector or in the working directory: `CRM_PLATFORM=package:NAME:ADDRESS`, or the path of its file for NAME. Its settings stand under `package:NAME`, and its secrets begin with the name without `crm-`: `CRM_ACME_TOKEN` for `package:crm-acme`. [Writing a platform](contributing/platform.md) has the rest.',
  ]
}
