const { text } = await tools.read_block({ index: 0 })
return text
