const winner = await Promise.race([tools.slow({ id: 1 }), tools.slow({ id: 2 })])
return winner.id
