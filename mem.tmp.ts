import { readFileSync } from 'node:fs'
import { judgeProgram, startChecker, viewOf } from './test/support/preflight-bench.ts'
import { compilerPids } from './test/support/compiler-pids.ts'
await using checker = startChecker()
const rss = () => compilerPids().map((pid) => /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1])
const mk = (k: number, n: number) => viewOf(Array.from({ length: n }, (_, i) => ({ name: `t_${k}_${i}`, inputSchema: { type: 'object', properties: { a: { type: 'string' }, ['b' + i]: { enum: ['x', 'y'] } }, required: ['a'] }, outputSchema: { type: 'object', properties: { items: { type: 'array', items: { type: 'object', properties: { ['id' + i]: { type: 'integer' }, title: { type: 'string' } } } } } } })))
console.log('start', rss())
await judgeProgram('return 1', mk(0, 10), checker); console.log('10 tools', rss())
for (let k = 1; k <= 8; k++) { await judgeProgram('return 1 + ' + k, mk(k, 100), checker) }
console.log('8 x 100', rss())
for (let k = 11; k <= 18; k++) { await judgeProgram('return 1 + ' + k, mk(k, 1000), checker) }
console.log('8 x 1000', rss())
const v = mk(18, 1000)
for (let k = 0; k < 500; k++) await judgeProgram(`return ${k} * 2 + (await tools.t_18_5({ a: '' })).items.length`, v, checker)
console.log('500 programs', rss())
