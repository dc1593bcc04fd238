import { applyDecorators } from '@nestjs/common';
import { IsString, Length } from 'class-validator';

/** A string with so many characters. */
export const IsText = (min: number, max: number): PropertyDecorator => applyDecorators(Length(min, max), IsString());
