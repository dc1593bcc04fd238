import { IsIn } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Optional } from '../requests/field-rules';
import { IsText } from '../requests/is-text';
import { IgnoresUnknownFields } from '../requests/request.pipe';

@JSONSchema({ example: { info: '1' } })
export class MediaQuery {
  @JSONSchema({ description: '`1` describes the file as JSON instead of sending it.' })
  @Optional(IsIn(['1'], { message: 'info must be 1' }))
  info?: string;
}

@IgnoresUnknownFields()
@JSONSchema({ example: { info: '1' } })
export class RestMediaQuery extends MediaQuery {}

@JSONSchema({ example: { filename: 'order-1007.txt' } })
export class UploadQuery {
  @JSONSchema({ description: 'The name of a document, which a later download has.' })
  @Optional(IsText(1, 240))
  filename?: string;
}

@IgnoresUnknownFields()
@JSONSchema({ example: { filename: 'order-1007.txt' } })
export class RestUploadQuery extends UploadQuery {}
