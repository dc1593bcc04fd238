import { isISO8601, registerDecorator } from 'class-validator';

const SHAPE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/** A time of ISO 8601 with its zone: without one it would mean another moment here than there. `new Date()` takes whatever passes. */
export function IsZonedDatetime(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isZonedDatetime',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: { validate: isZonedDatetime, defaultMessage: () => 'must be a time with its zone, such as 2027-01-31T00:00:00.000Z' },
    });
}

/** The shape alone lets days pass that no calendar has, and times that `Date` does not know or that are in a year of more digits. */
function isZonedDatetime(value: unknown): boolean {
  if (typeof value !== 'string' || !SHAPE.test(value) || !isISO8601(value, { strict: true })) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && /^\d{4}-/.test(time.toISOString());
}
