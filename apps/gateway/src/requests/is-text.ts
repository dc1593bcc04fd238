import { applyDecorators } from '@nestjs/common';
import { IsString, Length } from 'class-validator';

/** A string whose number of characters is within bounds. */
export const IsText = (min: number, max: number): PropertyDecorator => {
  const message = ({ value }: { value: unknown }) => {
    if (value === '' && min === 1) return 'must not be empty';
    const isShort = typeof value === 'string' && [...value].length < min;
    return isShort ? `must have at least ${min} characters` : `must have at most ${max} characters`;
  };
  return applyDecorators(Length(min, max, { message }), IsString());
};
