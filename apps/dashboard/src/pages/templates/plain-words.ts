/** WhatsApp's words for rejections, with what helps. */
const REASONS: Record<string, string> = {
  ABUSIVE_CONTENT: 'WhatsApp found content that its rules forbid, such as threats or insults. Rewrite the text.',
  INVALID_FORMAT:
    'The form is wrong: often variables without enough words around them, or a link or number that does not work. Correct it and submit it again.',
  PROMOTIONAL: 'The text advertises, which its category does not allow. Choose the category Marketing, or remove the offer.',
  INCORRECT_CATEGORY: 'The category does not fit the text. Choose another category.',
  TAG_CONTENT_MISMATCH: 'The language or the category does not match the text. Correct it.',
  SCAM: 'WhatsApp takes the text for a fraud. Name your business, and ask for no passwords or payments.',
};

export const rejectionOf = (reason: string | null): string =>
  reason === null
    ? 'WhatsApp gave no reason. Compare the text with WhatsApp’s template rules, and edit it.'
    : (REASONS[reason] ?? `WhatsApp’s reason: ${reason.toLowerCase().replaceAll('_', ' ')}.`);

const QUALITY: Record<string, string> = { GREEN: 'High quality', YELLOW: 'Medium quality', RED: 'Low quality: WhatsApp may pause it' };

/** @returns null before a template is rated */
export const qualityOf = (quality: string | null): string | null => QUALITY[quality ?? ''] ?? null;
