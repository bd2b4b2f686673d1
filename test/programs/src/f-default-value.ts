const found = await tools.search_docs({ query: 'install', kind: 'guide' })
export default { first: found.results[0].title, n: found.results.length }
