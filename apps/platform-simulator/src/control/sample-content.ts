import type { InboundMessage } from '../people/people';

/** Contents of the types without a file, for tests that need any message of a type (platform §4.4). */
export const SAMPLE_CONTENT: Record<string, Exclude<InboundMessage['content'], undefined>> = {
  location: { latitude: 12.9716, longitude: 77.5946, name: 'Kaveri Looms showroom', address: '14 Weaver Street' },
  contacts: [
    {
      name: { formatted_name: 'Warehouse Desk', first_name: 'Warehouse' },
      phones: [{ phone: '+91 90000 55509', wa_id: '919000055509', type: 'WORK' }],
    },
  ],
  button: { payload: 'REORDER', text: 'Reorder' },
  interactive: { type: 'list_reply', list_reply: { id: 'silk_03', title: 'Silk, 3 m', description: 'Ships in two days' } },
  order: {
    catalog_id: '550066770088990',
    text: 'Gift wrap please',
    product_items: [{ product_retailer_id: 'STOLE-IND-02', quantity: 2, item_price: 1890.5, currency: 'INR' }],
  },
  unsupported: { type: 'poll_creation' },
};

/** The error of a message that WhatsApp does not pass on. */
export const UNSUPPORTED_ERRORS = [
  {
    code: 131051,
    title: 'Message type unknown',
    message: 'Message type unknown',
    error_data: { details: 'Message type is currently not supported.' },
  },
];
