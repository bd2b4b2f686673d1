const before = Date.now()
await new Promise((resolve) => setTimeout(resolve, 30))
const waited = Date.now() - before
await tools.echo({ waited })
return waited >= 29
