const here = await tools.get_weather({ city: 'Lima', unit: 'celsius' });
({ city: here.city, warm: here.temp > 20 })
