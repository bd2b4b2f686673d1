import { execFile } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../service/http/rig.ts'

/** As the page says: whoever wants spans of the command registers a provider before it. */
const TRACING = `
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const exporter = {
  export(spans, done) {
    for (const span of spans) process.stderr.write('span ' + span.name + '\\n')
    done({ code: 0 })
  },
  shutdown: async () => {},
}
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))`

test('a provider that is registered before the command receives its spans', async () => {
  using folder = temporaryFolder()
  symlinkSync(resolve('node_modules'), folder.file('node_modules'))
  writeFileSync(folder.file('tracing.mjs'), TRACING)
  writeFileSync(folder.file('tools.json'), '[{"name":"add","mock":{"returns":3}}]')
  writeFileSync(folder.file('program.ts'), 'return await tools.add({})')
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', './tracing.mjs', resolve('src/cli/main.ts'), 'run', 'program.ts', '--mock', 'tools.json', '--json'],
    { cwd: folder.path },
  )
  expect(JSON.parse(stdout)).toMatchObject({ result: 3 })
  expect(stderr.split('\n').filter((line) => line.startsWith('span '))).toEqual([
    'span execute_tool add',
    'span execute_tool run_code',
  ])
})
