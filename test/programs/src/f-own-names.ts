const { search_docs } = tools
const performance = { now: () => 1 }
const console = { log: (x: unknown) => globalThis.console.log('mine', x) }
const hits = await search_docs({ query: 'x', limit: 5 })
console.log(hits.results.length)
return performance.now()
