import {
  foreignHeader,
  GatewayError,
  headerUrlFault,
  MAX_VALUE_CHARACTERS,
  urlEndFault,
  valueCounts,
  type TemplateShape,
} from '@mgw/contracts';
import type { TemplateComponentRequest, TemplateParameter } from '@mgw/platform-api';
import type { ReportProblem } from '../sending/problems';

/** Replaces an OTP everywhere but in the response (decision 17). */
const MASK = '••••••';

export interface TemplateValues {
  body: string[];
  header: string[];
  buttons: string[];
}

/**
 * Fills a template in and checks its parameters before a platform call (decisions 15 and 43). The text of an AUTHENTICATION template
 * masks the code.
 * @param report receives TEMPLATE_PARAMS_MISMATCH, or VALIDATION_FAILED for an unsupported header, too long values or an invalid URL
 */
export function fillTemplate(
  template: TemplateShape,
  values: TemplateValues,
  report: ReportProblem,
): { components: TemplateComponentRequest[]; text: string } {
  for (const problem of problemsOf(template, values)) report(problem);
  const components: TemplateComponentRequest[] = [];
  if (values.header.length > 0) components.push({ type: 'header', parameters: headerParameters(template, values.header) });
  if (values.body.length > 0)
    components.push({ type: 'body', parameters: textParameters(values.body, template.named ? template.body_variables : null) });
  let next = 0;
  for (const { index, takes } of template.button_parameters) {
    // The code button repeats the code of the body (platform §1.5).
    const value = (takes === 'otp' ? values.body[0] : values.buttons[next++]) ?? '';
    components.push(
      takes === 'coupon'
        ? { type: 'button', sub_type: 'copy_code', index: String(index), parameters: [{ type: 'coupon_code', coupon_code: value }] }
        : { type: 'button', sub_type: 'url', index: String(index), parameters: [{ type: 'text', text: value }] },
    );
  }
  return { components, text: template.category === 'AUTHENTICATION' ? maskedText(template) : render(template, values.body) };
}

/** The text with masked values, safe to store and publish: it shows no OTP (decision 17). */
export function maskedText(template: TemplateShape): string {
  return render(
    template,
    template.body_variables.map(() => MASK),
  );
}

function* problemsOf(template: TemplateShape, values: TemplateValues): Iterable<GatewayError> {
  const foreign = foreignHeader(template);
  if (foreign) {
    // The template has no parameters that could be right.
    yield foreign;
    return;
  }
  const counts = valueCounts(template);
  for (const part of ['body', 'header', 'buttons'] as const) yield* countProblem(template, part, counts[part], values[part].length);
  yield* lengthProblem(values);
  yield* urlProblems(template, values);
}

function* countProblem({ name }: TemplateShape, component: string, [least, most]: readonly [number, number], given: number) {
  if (given >= least && given <= most) return;
  yield new GatewayError(
    'TEMPLATE_PARAMS_MISMATCH',
    `Template "${name}" needs ${least} ${component} parameter${least === 1 ? '' : 's'}, but got ${given}.`,
    {
      component,
      expected: least,
      given,
    },
  );
}

function* lengthProblem({ body, header, buttons }: TemplateValues) {
  const characters = [...body, ...header, ...buttons].reduce((sum, { length }) => sum + length, 0);
  if (characters <= MAX_VALUE_CHARACTERS) return;
  const message = `The values of a template may have ${MAX_VALUE_CHARACTERS} characters altogether; ${characters} were given.`;
  yield new GatewayError('VALIDATION_FAILED', message, { details: [{ field: 'body_params', message }] });
}

/** Header and button URLs that a URL parser would rewrite (decision 50). */
function* urlProblems(template: TemplateShape, { header, buttons }: TemplateValues) {
  const takers = template.button_parameters.filter(({ takes }) => takes !== 'otp');
  const ends = buttons.filter((_, i) => takers[i]?.takes === 'link');
  const faults = {
    header_params: headerUrlFault(template, header),
    button_params: ends.map(urlEndFault).find((fault) => fault !== null) ?? null,
  };
  for (const [field, message] of Object.entries(faults))
    if (message !== null) yield new GatewayError('VALIDATION_FAILED', `${field} ${message}.`, { details: [{ field, message }] });
}

function textParameters(values: string[], names: string[] | null): TemplateParameter[] {
  return values.map((text, i) => ({ type: 'text', text, ...(names && { parameter_name: names[i] ?? '' }) }));
}

function headerParameters(template: TemplateShape, values: string[]): TemplateParameter[] {
  const [first = '', second = '', third = '', fourth = ''] = values;
  switch (template.header_format) {
    case 'IMAGE':
      return [{ type: 'image', image: { link: first } }];
    case 'VIDEO':
      return [{ type: 'video', video: { link: first } }];
    case 'DOCUMENT':
      return [{ type: 'document', document: { link: first, ...(second && { filename: second }) } }];
    case 'LOCATION':
      return [{ type: 'location', location: { latitude: first, longitude: second, name: third, address: fourth } }];
    default:
      return textParameters(values, template.named ? template.header_variables : null);
  }
}

/** `content` has positional variables, even for NAMED templates. Braces inside a value are not replaced again. */
function render({ content, body_variables, named }: TemplateShape, values: string[]): string {
  const place = (number: string) => (named ? Number(number) - 1 : body_variables.indexOf(number));
  return content.replace(/\{\{\s*(\d+)\s*\}\}/g, (whole, number: string) => values[place(number)] ?? whole);
}
