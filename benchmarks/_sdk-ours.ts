import { deriveNames } from '../src/registry/native-names.ts'
import { catalogView } from '../src/sdk/catalog.ts'
import { renderSdk, type SdkLevel } from '../src/sdk/render.ts'
import type { SdkTool, SdkView } from '../src/sdk/sdk-view.ts'
import { madeUp, type Sample } from './_sdk-sample.ts'
import { collectGarbage, note, toRows, type Table, type Target } from './_runner.ts'

const WARM_UP = 60

/** What only ours can do: give the same text again, render after a small change, take very many tools. */
export async function measureOurs(
  sizes: { readonly manyTools: readonly number[]; readonly rounds: number },
  sample: Sample,
): Promise<readonly Table[]> {
  const [first = 1_000] = sizes.manyTools
  const sampled = toolsOf(sample.tools.slice(0, Math.min(500, first)))
  const many = toolsOf(Array.from({ length: first }, (_, n) => madeUp(n)))
  const changing = (level: SdkLevel) => () => {
    let tools = many
    renderView(viewOf(tools), level)
    // Warm code, as a service has that lives through many changes.
    return Array.from({ length: WARM_UP + sizes.rounds * 4 }, (_, n) => {
      const [changed] = toolsOf([{ ...madeUp(n % tools.length), description: `Changed ${n}.` }])
      tools = tools.map((tool) => (changed !== undefined && tool.name === changed.name ? changed : tool))
      const view = viewOf(tools)
      return timed(() => renderView(view, level))
    }).slice(WARM_UP)
  }
  const namesOnly = () =>
    Array.from({ length: sizes.rounds * 4 }, () => {
      const view = viewOf(many)
      return timed(() => String(deriveNames(view).pathByName.size))
    })
  const rows: readonly { name: string; target?: Target; take: () => readonly number[] }[] = [
    { name: `one of ${first} tools changed, L1`, target: { p50: 5 }, take: changing('L1') },
    { name: `one of ${first} tools changed, L3`, target: { p50: 5 }, take: changing('L3') },
    { name: `of it the names of the new view`, take: namesOnly },
    {
      name: `${sampled.length} tools, nothing changed`,
      target: { p50: 1 },
      take: () => {
        const view = viewOf(sampled)
        renderView(view, 'L3')
        return Array.from({ length: sizes.rounds * 4 }, () => timed(() => renderView(view, 'L3')))
      },
    },
  ]
  const linear: { name: string; samples: number[]; target?: Target }[] = []
  for (const count of sizes.manyTools) {
    const samples: number[] = []
    for (let round = -1; round < sizes.rounds; round++) {
      note(`${count} tools at L1, round ${round + 2}`)
      collectGarbage('young')
      const listed = Array.from({ length: count }, (_, n) => madeUp(n))
      const ms = timed(() => renderView(viewOf(toolsOf(listed)), 'L1'))
      if (round >= 0) samples.push(ms)
    }
    linear.push({ name: `${count} tools`, samples, ...(count === 10_000 && { target: { p50: 1_000 } }) })
  }
  return [
    {
      title: 'Codeferry: the text again',
      unit: 'ms',
      sample:
        'a sample is one text at L3 unless the row says otherwise, with the names of a new view where tools changed',
      rows: toRows(rows.map(({ name, target, take }) => ({ name, target, samples: take() }))),
    },
    {
      title: 'Codeferry: many tools at L1',
      unit: 'ms',
      sample:
        'a sample is one text of made-up tools that were not seen before; linear when the ratio is that of the numbers',
      rows: toRows(linear),
    },
  ]
}

function toolsOf(listed: readonly ReturnType<typeof madeUp>[]): readonly SdkTool[] {
  const groups = Map.groupBy(listed, ({ server }) => server)
  return [...groups].flatMap(([server, members]) => [
    ...catalogView(
      members.map((one) => ({ ...one, name: one.tool })),
      server,
    ).toolsByName.values(),
  ])
}

function viewOf(tools: readonly SdkTool[]): SdkView {
  return { toolsByName: new Map(tools.map((tool) => [tool.name, tool])) }
}

function renderView(view: SdkView, level: SdkLevel): string {
  return renderSdk(view, deriveNames(view), { level }).text
}

function timed(work: () => string): number {
  const from = performance.now()
  const text = work()
  const ms = performance.now() - from
  if (text === '') throw new Error('an empty text is no text')
  return ms
}
