/** One element of `GET /{waba_id}/message_templates` (platform §3.1). */
export interface GraphTemplate {
  /** Digits beyond what a JavaScript number can hold: never parse it. */
  id: string;
  name: string;
  language: string;
  /** Only `APPROVED` can be sent. */
  status: string;
  category: string;
  parameter_format?: 'POSITIONAL' | 'NAMED';
  components: GraphTemplateComponent[];
  sub_category?: string;
  rejected_reason?: string;
  quality_score?: { score: string; date?: number };
}

export interface GraphTemplateComponent {
  /** HEADER, BODY, FOOTER, BUTTONS, CAROUSEL, LIMITED_TIME_OFFER, or one we do not know yet. */
  type: string;
  /** For a HEADER: TEXT, IMAGE, VIDEO, GIF, DOCUMENT, LOCATION, PRODUCT. */
  format?: string;
  text?: string;
  buttons?: GraphTemplateButton[];
  example?: Record<string, unknown>;
}

interface GraphTemplateButton {
  /** QUICK_REPLY, URL, PHONE_NUMBER, COPY_CODE, OTP, ... */
  type: string;
  text?: string;
  /** For a URL button; a variable is at its end as `{{1}}`. The OTP button of AUTHENTICATION templates is listed as a URL button. */
  url?: string;
  phone_number?: string;
  example?: string[] | string;
}

export const TEMPLATE_FIELDS = [
  'id',
  'name',
  'language',
  'status',
  'category',
  'sub_category',
  'parameter_format',
  'components',
  'quality_score',
  'rejected_reason',
] as const;
