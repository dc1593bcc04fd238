import { applyDecorators } from '@nestjs/common';
import { IsString, Length } from 'class-validator';

/** A string whose number of characters is within bounds. */
export const IsText = (min: number, max: number): PropertyDecorator => applyDecorators(Length(min, max), IsString());
