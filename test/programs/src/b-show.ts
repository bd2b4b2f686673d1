const blocks = await tools.picture({ name: 'cat' })
for (const block of Array.isArray(blocks) ? blocks : [blocks]) show(block)
return 'shown'
