import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { ROUTES } from '../../../src/service/http/routes/all-routes.ts'
import { ALICE, ALICE_BOSS, json, startRig, temporaryFolder, eventually } from './rig.ts'

test('the document is OpenAPI 3.1 that a linter finds no fault with, and names every route', async () => {
  using folder = temporaryFolder()
  await using rig = await startRig()
  const response = await fetch(`${rig.url}/openapi.json`)
  const document = await json(response)
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' } })
  const described = Object.entries(document.paths as Record<string, object>).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method} ${path}`),
  )
  expect(described.sort()).toEqual(ROUTES.map(({ method, path }) => `${method} ${path}`).sort())
  const file = folder.file('openapi.json')
  writeFileSync(file, JSON.stringify(document))
  writeFileSync(folder.file('redocly.yaml'), 'extends: [recommended]\ntelemetry: off\n')
  const { stdout, stderr } = await promisify(execFile)(
    'node_modules/.bin/redocly',
    ['lint', file, '--config', folder.file('redocly.yaml'), '--format', 'json'],
    { env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
  ).catch((error: { stdout: string; stderr: string }) => error)
  const found = JSON.parse(stdout.slice(stdout.indexOf('{'))) as {
    totals: object
    problems: { ruleId: string; message: string }[]
  }
  expect([found.problems.map(({ ruleId, message }) => `${ruleId}: ${message}`), stderr.includes('rror:')]).toEqual([
    [],
    false,
  ])
})

test('every route’s example is a request that succeeds as the document says', async () => {
  await using rig = await startRig()
  const headers = { prefer: 'respond-async' }
  const asked = await json(rig.send(ALICE, '/v1/runs', { body: { code: 'return await tools.pay()' }, headers }), 202)
  await eventually(() => expect(rig.desk.count).toBe(1))
  const { id: session } = await json(rig.send(ALICE, '/v1/sessions', { body: {} }), 201)
  const ids = { runs: String(asked.id), sessions: String(session), approvals: rig.desk.pending('team-a')[0]?.id ?? '' }
  const made: string[] = []
  // What ends things comes last.
  for (const route of ROUTES.toSorted((a, b) => Number(a.method === 'delete') - Number(b.method === 'delete'))) {
    const id = ids[route.tag as keyof typeof ids]
    const gone = new AbortController()
    const response = await rig.send(route.tag === 'approvals' ? ALICE_BOSS : ALICE, route.path.replace('{id}', id), {
      method: route.method.toUpperCase(),
      ...(route.body !== undefined && { body: route.bodyExample }),
      signal: gone.signal,
    })
    const answered = route.answers[response.status]
    expect([route.operationId, response.status, answered !== undefined]).toEqual([
      route.operationId,
      response.status,
      true,
    ])
    expect(response.headers.get('content-type') ?? '').toContain(
      answered?.schema === undefined ? '' : (answered.mediaType ?? 'application/json'),
    )
    if (answered?.mediaType === undefined && answered?.schema !== undefined) {
      const said = answered.schema.safeParse(await response.json())
      expect([route.operationId, said.error]).toEqual([route.operationId, undefined])
      if (answered.example !== undefined) expect(answered.schema.safeParse(answered.example).error).toBeUndefined()
    }
    gone.abort()
    made.push(route.operationId)
  }
  expect(made.length).toBe(ROUTES.length)
})
