import { z } from 'zod'
import { httpToolSchema, type HttpToolEntry } from '../../importers/http/http-tool-schema.ts'
import { openApiSourceSchema, type OpenApiSource } from '../../importers/openapi.ts'

export const openApiSchema = z.array(openApiSourceSchema).max(200).describe('APIs with an OpenAPI description')
export const httpSchema = z.array(httpToolSchema).max(2_000).describe('Single requests as tools')
export type { HttpToolEntry, OpenApiSource }
