import type { Type as Class } from '@nestjs/common';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import { ALLOWED_IPS_MAX } from '../api-keys/allowed-ips';
import { FIELD_RULE_SCHEMAS } from '../requests/field-rules';
import type { Value } from './code-samples';

export interface JsonSchema {
  description?: string;
  properties?: Record<string, JsonSchema>;
  items?: object;
  required?: string[];
  example?: Record<string, Value>;
}

/** Schemas of the gateway's own rules. */
const SCHEMAS = {
  ...FIELD_RULE_SCHEMAS,
  isZonedDatetime: { type: 'string', format: 'date-time' } as const,
  isDayOrTime: { type: 'string' } as const,
  areCidrs: { type: 'array', maxItems: ALLOWED_IPS_MAX, items: { type: 'string' } } as const,
};

/** JSON schemas of request classes, derived from their class-validator rules. */
export class RequestSchemas {
  private readonly byName = new Map<string, JsonSchema>();

  schema(request: Class): JsonSchema {
    const known = this.byName.get(request.name);
    if (known) return known;
    const schema = targetConstructorToSchema(request, { additionalConverters: SCHEMAS }) as JsonSchema;
    this.byName.set(request.name, schema);
    return schema;
  }

  reference(request: Class): { $ref: string } {
    this.schema(request);
    return { $ref: `#/components/schemas/${request.name}` };
  }

  /** The schemas of bodies. Optional fields accept null, which means the same as leaving them out (decision 44). */
  all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.byName].map(([name, schema]) => [name, nullableOptions(schema)]));
  }
}

/** Includes the optional members of nested objects. */
function nullableOptions(schema: JsonSchema): JsonSchema {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const nested = nullableOptions(property);
    if (schema.required?.includes(name)) return [name, nested];
    const { description, ...value } = nested;
    return [name, { ...(description !== undefined && { description }), anyOf: [value, { type: 'null' }] }];
  });
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties) as Record<string, JsonSchema> }),
    ...(schema.items && { items: nullableOptions(schema.items) }),
  };
}
