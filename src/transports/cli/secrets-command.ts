import type { Command } from 'commander'
import { CrmError } from '../../contract/errors.ts'
import { countSecrets, reseal, storedSecrets } from '../../core/access/sealed-records.ts'
import type { Service } from '../../core/service.ts'
import { onStore, onStoreOnly, type Shell, settingsOf } from './app.ts'
import { formatOf, present, withOutput } from './output.ts'

const ROTATING = `
To replace a key, also while services run:
  1. Add a new one (openssl rand -base64 32) at the end of CRM_SECRET_KEYS, and restart all services: now all can open what it seals.
  2. Move it to the front, restart them again, and seal everything with it:
       crm secrets rotate
  3. Remove the old key once crm secrets shows no value under it. Backups from before still need it.`

const SHAPES = ['json', 'table'] as const

/** The commands about the keys that seal secrets in the store. */
export function secretsCommand(program: Command, shell: Shell): void {
  const { io } = shell
  const secrets = program.command('secrets').description('List the keys that seal secrets in the store, or seal everything with the first').helpCommand(false)
  secrets.addHelpText('after', '\nExample:\n  crm secrets\n  crm secrets rotate')
  onStoreOnly(withOutput(secrets.command('list', { isDefault: true }), SHAPES), shell)
    .description('List how many values are sealed with which key, and how many are in plain text')
    .addHelpText('after', '\nExample:\n  crm secrets list')
    .action(async (_, command: Command) => {
      await present(io, await onStore(shell, settingsOf(command, shell), listed), formatOf(command, io))
    })
  onStoreOnly(withOutput(secrets.command('rotate'), SHAPES), shell)
    .description('Seal everything with the first key, also while a server runs on the store')
    .addHelpText('after', ROTATING)
    .addHelpText('after', '\nExample:\n  crm secrets rotate')
    .action(async (_, command: Command) => {
      const answer = await onStore(shell, settingsOf(command, shell), rotated)
      await present(io, answer, formatOf(command, io))
      const left = answer.Unopened
      if (left > 0)
        throw new CrmError(
          'conflict',
          `${left} ${left === 1 ? 'value cannot be opened and stays as it was' : 'values cannot be opened and stay as they were'}.`,
          {
            hint: 'crm doctor says which keys are missing.',
          },
        )
    })
}

async function listed(service: Service) {
  const { vault } = service
  const { byKey, plain, unopened } = await countSecrets(vault, storedSecrets(service))
  const here = vault.keyIds()
  const ids = new Set([...here, ...byKey.keys()])
  return {
    Keys: [...ids].map((id) => ({ Key: id, Use: id === vault.sealing() ? 'seals' : here.includes(id) ? 'opens' : 'missing', Values: byKey.get(id) ?? 0 })),
    Plain: plain,
    Unopened: unopened.length,
  }
}

async function rotated(service: Service) {
  const { plain, resealed, unopened } = await reseal(service)
  return { Key: service.vault.sealing() ?? null, Resealed: resealed, SealedPlain: plain, Unopened: unopened.length }
}
