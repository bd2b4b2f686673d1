const results = await Promise.allSettled([tools.get_user({ id: 1 }), tools.broken({ id: 2 }), tools.get_user({ id: 2 })])
return results.map((r) => (r.status === 'fulfilled' ? r.value : r.reason.message.includes('database')))
