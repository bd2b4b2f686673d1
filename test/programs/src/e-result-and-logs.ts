const { results } = await tools.search_docs({ query: 'upgrade', limit: 2, kind: 'reference' })
for (const { id, title, score } of results) console.log(id, title, score.toFixed(1))
const sent = await tools.send_message({ channel: 'docs', text: results.map((r) => r.title).join(', ') })
return { sent: sent.id }
