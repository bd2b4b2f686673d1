if (tools.get_profile) return await tools.get_profile({ id: 1 })
const optional = await tools.get_avatar?.({ id: 1 })
try {
  await tools.get_everything({ id: 1 })
} catch (error) {
  const user = await tools.get_user({ id: 1 })
  return [user.name, optional ?? null, error instanceof TypeError]
}
