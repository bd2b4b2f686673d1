return await tools.is_error({ id: 9 }).catch((error) => `caught: ${error.message}`)
