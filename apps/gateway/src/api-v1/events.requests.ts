import { Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { PUBLIC_EVENTS } from '@mgw/contracts';
import { IsNumberText, MAX_NUMBER_TEXT, Optional } from '../requests/field-rules';
import { IsLimit } from '../requests/page';
import { IgnoresUnknownFields } from '../requests/request.pipe';

const NAME = `(${PUBLIC_EVENTS.join('|').replaceAll('.', '\\.')})`;

@IgnoresUnknownFields()
@JSONSchema({ example: { after: 0, limit: 100 } })
export class ListEventsQuery {
  @Optional(IsNumberText(0, MAX_NUMBER_TEXT, 'must be next_after of an earlier response, or 0'))
  @JSONSchema({
    description: 'The number after which the events begin: `next_after` of the response before. By default the oldest event comes first.',
  })
  after?: string;

  @IsLimit('The most events of a response, 100 by default. A response has at most half a megabyte of events, or one event.')
  limit?: string;

  @Optional(
    Matches(new RegExp(`^${NAME}(,${NAME})*$`), { message: `types must be some of ${PUBLIC_EVENTS.join(', ')}, separated by commas` }),
  )
  @JSONSchema({ description: 'Names of events, separated by commas; all by default.' })
  types?: string;

  @Optional(IsNumberText(0, 25, 'must be a whole number of seconds from 0 to 25'))
  @JSONSchema({
    description:
      'Seconds to wait for an event if there is none, 0 by default and at most 25. The response may come earlier without events. Begin ' +
      'requests at least two seconds apart unless a response is full, because each of them counts against the limits of the key.',
  })
  wait?: string;
}
