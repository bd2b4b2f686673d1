const first = await Promise.any([tools.broken({ id: 1 }), tools.slow({ id: 3 })])
return first.id
