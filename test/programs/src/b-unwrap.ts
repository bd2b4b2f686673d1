const data = await tools.text_json({})
return data.names.map((name) => name.repeat(data.count))
