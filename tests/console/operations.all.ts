import { execFile } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../console/src/operations/form/json.ts'
import { operationShape } from '../../console/src/operations/form/operation-shape.ts'
import { curlOf } from '../../console/src/operations/requests/curl.ts'
import { isTool, mcpOf } from '../../console/src/operations/requests/mcp.ts'
import { isInNode, n8nOf, placeIn } from '../../console/src/operations/requests/n8n.ts'
import { typescriptOf } from '../../console/src/operations/requests/typescript.ts'
import type { Description } from '../../console/src/session/session.ts'
import { findOperation, OPERATIONS } from '../../src/contract/operations.ts'
import { TOOLS } from '../../src/transports/mcp/tools.ts'
import { consoleForFile } from '../support/console.ts'
import { folderInside } from '../support/folder.ts'

const run = promisify(execFile)
const console_ = consoleForFile()
const root = join(import.meta.dirname, '../..')

/** What a shell, a language or an encoding could stumble over. */
const HOSTILE = `O'Brien "$(id)" \`id\` \\ $HOME !! %s\n\ttab 東京 😀 \u2028 '; rm -rf /`

const open = (id: string, input?: object) => console_.open(`#/operations/${id}${input ? `?input=${encodeURIComponent(JSON.stringify(input))}` : ''}`)

const json = async (page: Page): Promise<unknown> => {
  await page.getByRole('button', { name: 'JSON', exact: true }).click()
  const text = await page.getByLabel('Input as JSON').inputValue()
  await page.getByRole('button', { name: 'Form', exact: true }).click()
  return JSON.parse(text)
}

const answer = async (page: Page): Promise<Record<string, unknown>> => JSON.parse(await page.getByRole('region', { name: 'The answer' }).innerText())
const runIt = (page: Page) => page.getByRole('button', { name: 'Run', exact: true }).click()
const request = (page: Page) => page.locator('.card', { hasText: 'Request' }).locator('pre').innerText()

describe('the list', () => {
  test('has every operation under what it is about, and is searched by words', async () => {
    const page = await console_.open('#/operations')
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    expect(await page.locator('.operations-link').count()).toBe(OPERATIONS.length)
    expect(await page.getByRole('region', { name: 'Custom objects' }).getByRole('link').count()).toBe(
      OPERATIONS.filter(({ record }) => record.name === 'CustomObject').length,
    )
    await page.getByLabel('Search operations').fill('many lead')
    await expect.poll(() => page.locator('.operations-link').count()).toBeLessThan(5)
    await page.getByRole('link', { name: /Get Many Leads/ }).click()
    await page.getByRole('heading', { name: 'Get Many Leads' }).waitFor()
    await page.close()
  })

  test('shows what the key allows, and the rest to whoever asks', async () => {
    const { Key } = (await console_.server.call('create_key', { Scopes: ['read:Case'] })) as { Key: string }
    const page = await console_.open('#/operations', { key: Key })
    await page.getByRole('link', { name: /Get Case/ }).waitFor()
    expect(await page.getByRole('link', { name: /Create A Lead/ }).count()).toBe(0)
    await page.getByLabel(/that this key does not allow/).check()
    await page.getByRole('link', { name: /Create A Lead/ }).click()
    await page.getByText('This key does not allow this operation').waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
    await page.close()
  })
})

describe('the form', () => {
  test('of every operation takes its example, and says it back as JSON', async () => {
    const page = await console_.open('#/operations')
    await page.getByRole('heading', { name: 'Operations' }).waitFor()
    for (const { id, name, example } of OPERATIONS) {
      const text = await page.evaluate(`(async () => {
        const find = async (selector, text) => {
          for (let tries = 0; tries < 6000; tries++) {
            const found = [...document.querySelectorAll(selector)].find((one) => text === undefined || one.textContent.trim() === text)
            if (found) return found
            await new Promise((resolve) => setTimeout(resolve, 10))
          }
          throw new Error('There is no ' + selector + ' ' + text)
        }
        location.hash = ${JSON.stringify(`#/operations/${id}`)}
        await find('h1', ${JSON.stringify(name)})
        ;(await find('button', 'Fill in example')).click()
        ;(await find('button', 'JSON')).click()
        return (await find('textarea.operation-json')).value
      })()`)
      expect(JSON.parse(text as string), id).toEqual(example)
    }
    await page.close()
  })

  test('makes a record of what was filled in, keeps it in the address, and takes it back', async () => {
    const page = await open('create_a_lead')
    await page.getByLabel('FirstName').fill('Ada')
    await page.getByLabel('LastName').fill(HOSTILE.replaceAll(/[\n\t]/g, ' '))
    await page.getByRole('button', { name: 'Phone: null', exact: true }).click()
    expect(await json(page)).toEqual({ FirstName: 'Ada', LastName: HOSTILE.replaceAll(/[\n\t]/g, ' '), Phone: null })
    await expect.poll(() => new URLSearchParams(page.url().split('?')[1]).get('input')).toContain('"Phone":null')
    await page.reload()
    await expect.poll(() => page.getByLabel('FirstName').inputValue()).toBe('Ada')
    await runIt(page)
    await page.getByText('Undo').waitFor()
    const { LeadID } = await answer(page)
    expect(await console_.server.call('get_leads', { LeadID })).toMatchObject({ FirstName: 'Ada', Phone: null })
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Undone' }).waitFor()
    expect((await console_.server.post('get_leads', { LeadID })).status).toBe(404)
    await page.close()
  })

  test('sends only what was filled in, and null where that was said', async () => {
    const { LeadID } = (await console_.server.call('create_a_lead', { FirstName: 'Grace', LastName: 'Hopper', Email: 'g@example.com', Phone: '1' })) as {
      LeadID: string
    }
    const page = await open('update_lead')
    await page.getByLabel('LeadID').fill(LeadID)
    await page.getByRole('button', { name: 'Email: null' }).click()
    await page.getByLabel('Status', { exact: true }).fill('Contacted')
    expect(await json(page)).toEqual({ LeadID, FieldsToUpdate: { Email: null, Status: 'Contacted' } })
    await runIt(page)
    await page.getByText('Undo').waitFor()
    expect(await answer(page)).toMatchObject({ Email: null, Phone: '1', Status: 'Contacted', UpdatedFields: ['Email', 'Status'] })
    await page.close()
  })

  test('builds filters of a field, an operator and a value', async () => {
    await console_.server.call('create_opportunity', { OpportunityName: 'Small', Stage: 'Prospecting', CloseDate: '2026-01-01', Amount: 5 })
    await console_.server.call('create_opportunity', { OpportunityName: 'Large', Stage: 'Prospecting', CloseDate: '2026-01-01', Amount: 500 })
    const page = await open('get_many_opportunities')
    const filters = page.getByRole('group', { name: 'Filters' })
    await filters.getByRole('button', { name: 'Add filter' }).click()
    await filters.getByLabel('Field').selectOption('Amount')
    await filters.getByLabel('Amount: operator').selectOption('gte')
    await filters.getByLabel('Amount: value').fill('100')
    await filters.getByRole('button', { name: 'Add filter' }).click()
    await filters.getByLabel('Field').nth(1).selectOption('Amount')
    await filters.getByLabel('Amount: operator').nth(1).selectOption('lt')
    await filters.getByLabel('Amount: value').nth(1).fill('1000.5')
    expect(await json(page)).toEqual({ Filters: { Amount: { gte: 100, lt: 1000.5 } } })
    await runIt(page)
    await expect.poll(async () => ((await answer(page)).Records as { OpportunityName: string }[]).map((one) => one.OpportunityName)).toEqual(['Large'])
    await page.close()
  })

  test('defines the fields of a custom object by names of their own', async () => {
    const page = await open('create_custom_object')
    await page.getByLabel('ObjectName').fill('Boat')
    await page.getByLabel('Name of a field to add').fill('HullLength')
    await page.keyboard.press('Enter')
    const field = page.getByRole('group', { name: 'HullLength' })
    await field.getByLabel('Type', { exact: true }).selectOption('Number')
    await field.getByLabel('Label').fill('Hull length')
    await field.getByLabel('Value: type').selectOption('number')
    await field.getByLabel('Value', { exact: true }).fill('7.5')
    expect(await json(page)).toEqual({ ObjectName: 'Boat', Fields: { HullLength: { Type: 'Number', Label: 'Hull length', Value: 7.5 } } })
    await runIt(page)
    await page.getByText('Undo').waitFor()
    expect(await answer(page)).toMatchObject({ Values: { HullLength: 7.5 } })
    await page.close()
  })

  test('follows JSON that is written by hand, and says what is no JSON', async () => {
    const page = await open('create_case')
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    await page.getByLabel('Input as JSON').fill('{ "Subject": "Jam", ')
    await page.getByText(/This is not JSON/).waitFor()
    expect(await page.getByRole('button', { name: 'Run', exact: true }).isDisabled()).toBe(true)
    await page.getByLabel('Input as JSON').fill('{ "Subject": "Jam", "Description": "Third column", "Colour": 1 }')
    await page.getByRole('button', { name: 'Form', exact: true }).click()
    expect(await page.getByLabel('Subject').inputValue()).toBe('Jam')
    await page.getByText('Not an input of this operation.').waitFor()
    await page.close()
  })

  test('says when the input in the address cannot be read, and leaves it to be mended', async () => {
    const page = await console_.open('#/operations/get_many_cases?input={broken')
    await page
      .getByRole('alert')
      .getByText(/The input in the address cannot be read\. This is not JSON/)
      .waitFor()
    await page.getByRole('button', { name: 'JSON', exact: true }).click()
    expect(await page.getByLabel('Input as JSON').inputValue()).toBe('{broken')
    await page.getByLabel('Input as JSON').fill('{ "Limit": 5 }')
    await page.getByRole('button', { name: 'Form', exact: true }).click()
    expect(await page.getByLabel('Limit').inputValue()).toBe('5')
    expect(await page.getByText('in the address cannot be read').count()).toBe(0)
    await page.close()
  })

  test('forgets what was wrong when the address brings another input', async () => {
    const page = await open('update_lead', { LeadID: 'x', FieldsToUpdate: { Email: 'nonsense' } })
    console_.refusals(page)
    await runIt(page)
    await page.getByText('invalid_input').first().waitFor()
    const other = encodeURIComponent(JSON.stringify({ LeadID: 'y', FieldsToUpdate: { Email: 'ada@example.com' } }))
    await page.evaluate(`location.hash = '#/operations/update_lead?input=${other}'`)
    await page.getByText('Run the operation to see its answer.').waitFor()
    const email = page.getByLabel('Email', { exact: true })
    expect([await email.inputValue(), await email.getAttribute('aria-invalid')]).not.toContain('true')
    expect(await page.locator('.field-wrong').count()).toBe(0)
    await page.close()
  })

  test('shows what is wrong beside the field that it is about', async () => {
    const page = await open('update_lead', { LeadID: 'x', FieldsToUpdate: { Email: 'nonsense' }, Nope: 1 })
    console_.refusals(page)
    await runIt(page)
    await page.getByText('invalid_input').first().waitFor()
    const email = page.getByLabel('Email', { exact: true })
    expect(await email.getAttribute('aria-invalid')).toBe('true')
    const described = await email.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${described}"]`).innerText()).toContain('is not an e-mail address')
    await page.locator('.operation-faults', { hasText: '"Nope"' }).waitFor()
    await page.close()
  })

  test('asks before it deletes, and a dry run asks nothing and deletes nothing', async () => {
    const { LeadID } = (await console_.server.call('create_a_lead', { FirstName: 'Going', LastName: 'Soon' })) as { LeadID: string }
    const page = await open('delete_lead', { LeadID })
    await page.getByLabel('Dry run').check()
    await page.getByRole('button', { name: 'Run without writing' }).click()
    await page.getByText('What would happen').waitFor()
    expect(await answer(page)).toMatchObject({ DryRun: true })
    await page.getByLabel('Dry run').uncheck()
    await runIt(page)
    const dialog = page.getByRole('dialog', { name: 'Delete Lead?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    expect((await console_.server.post('get_leads', { LeadID })).status).toBe(200)
    await runIt(page)
    await dialog.getByRole('button', { name: 'Delete Lead' }).click()
    await page.getByText('Undo').waitFor()
    expect((await console_.server.post('get_leads', { LeadID })).status).toBe(404)
    await page.close()
  })

  test('a key used again answers as before', async () => {
    const page = await open('create_a_lead', { FirstName: 'Once', LastName: 'Only' })
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await runIt(page)
    await page.getByText('Undo').waitFor()
    const { LeadID } = await answer(page)
    await runIt(page)
    await page.getByText('Replayed: same idempotency key').waitFor()
    expect((await answer(page)).LeadID).toBe(LeadID)
    await page.close()
  })

  test('lets what a key may only do in two steps be confirmed', async () => {
    const { Key } = (await console_.server.call('create_key', { Scopes: ['read', 'write', 'delete'], Confirm: 'deletes' })) as { Key: string }
    const { CaseID } = (await console_.server.call('create_case', { Subject: 'Planned', Description: 'x' })) as { CaseID: string }
    const page = await console_.open(`#/operations/case_delete?input=${encodeURIComponent(JSON.stringify({ CaseID }))}`, { key: Key })
    console_.refusals(page)
    await runIt(page)
    await page.getByRole('dialog').getByRole('button', { name: 'Case Delete' }).click()
    await page.getByRole('button', { name: 'Confirm', exact: true }).click()
    await page.getByText('Undo').waitFor()
    expect((await console_.server.post('get_case', { CaseID })).status).toBe(404)
    await page.close()
  })
})

test('a request is never broken within a word', async () => {
  const page = await open('create_a_lead')
  await page.setViewportSize({ width: 1024, height: 860 })
  const code = page.getByRole('region', { name: 'The request as curl' }).locator('pre')
  await code.waitFor()
  const lines = await code.evaluate((one) => {
    const range = one.ownerDocument.createRange()
    const [text, found] = [one.firstChild as ChildNode, new Map<number, string>()]
    for (let at = 0; at < (text.textContent ?? '').length; at++) {
      range.setStart(text, at)
      range.setEnd(text, at + 1)
      const { top } = range.getBoundingClientRect()
      found.set(top, (found.get(top) ?? '') + range.toString())
    }
    return [...found.values()]
  })
  expect(lines.length).toBeGreaterThan(4)
  for (const line of lines.slice(0, -1)) expect(line).toMatch(/[\s/-]$/)
  await page.close()
})

test('has the fields that the configuration adds, wherever the record is drafted, changed or searched', async () => {
  const description = (await console_.server.call('describe')) as unknown as Description
  const extra = {
    Name: 'Region',
    Type: 'text',
    Label: 'Region',
    Description: null,
    Required: false,
    Writable: true,
    MaxLength: 40,
    AllowedValues: ['North', 'South'],
    SuggestedValues: null,
    RefersTo: null,
    Unique: false,
    Own: false,
    Operators: [],
  }
  const RecordTypes = description.RecordTypes.map((type) => (type.Name === 'Lead' ? { ...type, Fields: [...type.Fields, extra] } : type))
  const member = (id: string, name: string) => operationShape(findOperation(id), { ...description, RecordTypes }).members.find((one) => one.name === name)
  const wanted = {
    name: 'Region',
    about: 'Region. At most 40 characters.',
    shape: { kind: 'value', type: 'text', nullable: true, suggested: ['North', 'South'] },
  }
  expect(member('create_a_lead', 'Region')).toMatchObject(wanted)
  expect(member('update_lead', 'FieldsToUpdate')?.shape).toMatchObject({ members: expect.arrayContaining([expect.objectContaining(wanted)]) })
  expect(member('get_many_leads', 'Filters')?.shape).toMatchObject({
    fields: expect.arrayContaining([{ name: 'Region', family: 'text', about: 'Region', suggested: ['North', 'South'] }]),
  })
  expect(member('create_case', 'Region')).toBeUndefined()
})

describe('the request', () => {
  test('as curl does in a shell what the form does, whatever the values are, and has no key in it', async () => {
    const page = await open('create_case', { Subject: HOSTILE, Description: `${HOSTILE}${HOSTILE}` })
    await page.getByLabel('Idempotency key').fill("it's-a-key")
    await expect.poll(() => request(page)).toContain('Idempotency-Key')
    await page.locator('.card', { hasText: 'Request' }).getByRole('button', { name: 'Copy' }).click()
    const copied = () => page.evaluate<string>('navigator.clipboard.readText()')
    await expect.poll(copied).toContain('Idempotency-Key')
    const curl = await copied()
    expect(curl).not.toContain(console_.server.key)
    const { stdout } = await run('bash', ['-c', curl], { env: { ...process.env, CRM_KEY: console_.server.key } })
    const made = JSON.parse(stdout) as Record<string, unknown>
    expect(made).toMatchObject({ Subject: HOSTILE, Description: `${HOSTILE}${HOSTILE}` })
    await runIt(page)
    await page.getByText('Replayed: same idempotency key').waitFor()
    expect(await answer(page)).toEqual(made)
    await page.close()
  })

  test('as TypeScript does with the SDK what the form does, whatever the values are', async () => {
    const folder = await folderInside('snippet-')
    await symlink(root, join(folder, 'crm-connector'))
    const input = { Subject: HOSTILE, Description: "'" }
    const text = typescriptOf({ operation: findOperation('create_case'), input, baseUrl: console_.server.url, idempotencyKey: "'key'", dryRun: true })
    await writeFile(
      join(folder, 'call.mjs'),
      text.replace("'crm-connector'", JSON.stringify(join(root, 'dist/sdk.js'))).replace('console.log(answer)', 'console.log(JSON.stringify(answer))'),
    )
    const { stdout } = await run(process.execPath, [join(folder, 'call.mjs')], { env: { ...process.env, CRM_KEY: console_.server.key } })
    expect(JSON.parse(stdout)).toMatchObject({ DryRun: true, WouldWrite: input })
  })

  test('as TypeScript keeps a member called __proto__', () => {
    const input = JSON.parse('{"Fields":{"__proto__":{"Value":1},"a-b":[]}}') as { [name: string]: unknown }
    const text = typescriptOf({ operation: findOperation('create_custom_object'), input, baseUrl: 'http://x' })
    const [, literal = ''] = /create\((.*)\)\n/s.exec(text) ?? []
    expect(JSON.stringify(new Function(`return ${literal}`)())).toBe(JSON.stringify(input))
  })

  test('as MCP is a tool call that the service answers', async () => {
    expect(OPERATIONS.filter(isTool).map(({ id }) => id)).toEqual(TOOLS.map(({ id }) => id))
    const text = mcpOf({ operation: findOperation('create_a_lead'), input: { FirstName: HOSTILE, LastName: 'MCP' }, baseUrl: '', dryRun: true })
    const response = await fetch(`${console_.server.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${console_.server.key}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: text,
    })
    const body = await response.text()
    expect(body).toContain('WouldWrite')
    expect(body).not.toContain('"isError":true')
  })

  test('as n8n is a node with the properties that the node has', async () => {
    const { properties } = (await import('../../n8n/nodes/CrmConnector/properties.ts')) as { properties: readonly Property[] }
    const { OPERATIONS: inNode } = (await import('../../n8n/nodes/CrmConnector/operations.ts')) as {
      OPERATIONS: { [resource: string]: { [verb: string]: { id: string } } }
    }
    for (const operation of OPERATIONS) {
      const { resource, operation: verb } = placeIn(operation)
      expect(inNode[resource]?.[verb]?.id, operation.id).toBe(isInNode(operation) ? operation.id : undefined)
      if (!isInNode(operation)) continue
      const { nodes } = JSON.parse(n8nOf({ operation, input: operation.example as Json, baseUrl: '', idempotencyKey: 'k', dryRun: true })) as {
        nodes: [{ type: string; parameters: Parameters }]
      }
      const [{ type, parameters }] = nodes
      expect(type).toBe('n8n-nodes-crm-connector.crmConnector')
      const { options, ...plain } = parameters
      for (const name of Object.keys(plain))
        expect(
          properties.some((one) => one.name === name && isShown(one, parameters)),
          `${operation.id}: ${name}`,
        ).toBe(true)
      const offered = properties.find((one) => one.name === 'options' && isShown(one, parameters))?.options ?? []
      if (operation.effect !== 'read') expect(offered.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(options)))
      const { Limit, ...rest } = operation.example as { Limit?: number }
      if (parameters.input !== undefined) expect(JSON.parse(parameters.input)).toEqual(parameters.limit === undefined ? operation.example : rest)
      if (parameters.limit !== undefined) expect(parameters.limit).toBe(Limit ?? 100)
    }
  })

  test('of every operation is quoted so that a shell reads it back', async () => {
    const { stdout } = await run(
      'bash',
      [
        '-c',
        curlOf({ operation: findOperation('create_a_lead'), input: { FirstName: HOSTILE }, baseUrl: "http://h/it's" }).replace('curl', "printf '%s\\n--\\n'"),
      ],
      {
        env: { CRM_KEY: 'k' },
      },
    )
    const words = stdout.split('\n--\n')
    expect(words[1]).toBe("http://h/it's/v1/operations/create_a_lead")
    expect(JSON.parse(words.at(-2) ?? '')).toEqual({ FirstName: HOSTILE })
  })
})

interface Property {
  readonly name: string
  readonly options?: readonly { readonly name: string }[]
  readonly displayOptions?: { readonly show?: { readonly [name: string]: readonly unknown[] } }
}

interface Parameters {
  readonly [name: string]: unknown
  readonly input?: string
  readonly limit?: number
  readonly options: object
}

/** As n8n shows a node that is not an agent's tool. */
const isShown = ({ displayOptions }: Property, parameters: Parameters) =>
  Object.entries(displayOptions?.show ?? {}).every(([name, values]) => values.includes(name === '@tool' ? false : parameters[name]))
