const { value, content } = await tools.full('get_user', { id: 2 })
return [value.name, content.length > 0]
