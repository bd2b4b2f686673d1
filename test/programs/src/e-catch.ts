let fallback = ''
try {
  await tools.broken({ id: 1 })
} catch (error) {
  if (error instanceof ToolError) fallback = `${error.tool}:${error.code}`
}
return [fallback, (await tools.get_user({ id: 1 })).name]
