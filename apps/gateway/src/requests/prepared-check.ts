import { getMetadataStorage } from 'class-validator';

type Body = Readonly<Record<string, unknown>>;
/** @returns the instance for a body that breaks no rule; null when it may break one */
type PreparedCheck = (body: Body) => object | null;

interface Rule {
  constraints: unknown[];
  validate(value: unknown, args: object): unknown;
}
interface Field {
  /** Of `IsOptional` and its like: the rules count when all of them say so. */
  conditions: ((object: object, value: unknown) => boolean)[];
  rules: Rule[];
  /** A rule of the field looks at all that is nested in it. */
  deep: boolean;
}

/** Marks a rule, as one of its constraints, that refuses any nested member it does not know. */
export const CHECKS_NESTED = Symbol('checks nested members');

/**
 * The rules that class-validator has for a class, looked up once instead of for every body: that, and what it makes in case of a
 * refusal, was a quarter of what the gateway allocated for a send. It only says yes; why a body is refused class-validator says.
 * @returns null for a class with rules of other kinds than those of single values: nested ones, groups, each
 */
export function preparedCheck(type: new () => object): PreparedCheck | null {
  const storage = getMetadataStorage();
  const fields = new Map<string, Field>();
  for (const metadata of rulesOf(type)) {
    if (metadata.each || metadata.groups?.length > 0 || metadata.validateIf) return null;
    const field = fields.get(metadata.propertyName) ?? { conditions: [], rules: [], deep: false };
    fields.set(metadata.propertyName, field);
    if (metadata.type === 'conditionalValidation') field.conditions.push(metadata.constraints[0] as Field['conditions'][number]);
    else if (metadata.type === 'customValidation') {
      field.deep ||= metadata.constraints?.includes(CHECKS_NESTED) === true;
      for (const { instance } of storage.getTargetValidatorConstraints(metadata.constraintCls))
        field.rules.push({ constraints: metadata.constraints, validate: (value, args) => instance.validate(value, args as never) });
    } else return null;
  }
  return (body) => {
    const object: Record<string, unknown> = new type() as Record<string, unknown>;
    for (const name of Object.keys(body)) {
      const field = fields.get(name);
      if (!field || !(field.deep || isFlat(body[name]))) return null;
      object[name] = body[name];
    }
    for (const [property, field] of fields) if (!keeps(field, object, property)) return null;
    return object;
  };
}

const rulesOf = (type: new () => object) => getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);

/** Names of the fields that a request's class has. */
export const fieldsOf = (type: new () => object): Set<string> => new Set(rulesOf(type).map(({ propertyName }) => propertyName));

/** Nothing in it can be more than it seems. */
function isFlat(value: unknown): boolean {
  return (
    typeof value !== 'object' || value === null || (Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null))
  );
}

function keeps({ conditions, rules }: Field, object: Record<string, unknown>, property: string): boolean {
  const value = object[property];
  if (!conditions.every((condition) => condition(object, value))) return true;
  return rules.every(
    (rule) =>
      rule.validate(value, { targetName: object.constructor.name, property, object, value, constraints: rule.constraints }) === true,
  );
}
