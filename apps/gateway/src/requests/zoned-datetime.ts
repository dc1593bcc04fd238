import { isISO8601, registerDecorator } from 'class-validator';

const SHAPE = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})$/;

/** An ISO 8601 time with its zone; without one its meaning would depend on the server. `new Date()` parses every accepted value. */
export function IsZonedDatetime(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isZonedDatetime',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: { validate: isZonedDatetime, defaultMessage: () => 'must be a time with its zone, such as 2027-01-31T00:00:00.000Z' },
    });
}

/** A day of the calendar, or a time with its zone. */
export function IsDayOrTime(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'isDayOrTime',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value) => isDay(value) || isZonedDatetime(value),
        defaultMessage: () => 'must be a day, YYYY-MM-DD, or a time with its zone, such as 2027-01-31T00:00:00.000Z',
      },
    });
}

function isDay(value: unknown): boolean {
  return typeof value === 'string' && /^[1-9]\d{3}-\d{2}-\d{2}$/.test(value) && isISO8601(value, { strict: true });
}

/** Besides the shape, checks that the date exists, that `Date` can parse it, and that the year in UTC has four digits. */
export function isZonedDatetime(value: unknown): boolean {
  if (typeof value !== 'string' || !SHAPE.test(value) || !isISO8601(value, { strict: true })) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && /^\d{4}-/.test(time.toISOString());
}
