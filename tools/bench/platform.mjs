// A platform that costs next to nothing: accepts every message, and has one number and one template.
// usage: node platform.mjs <port>
import { createServer } from 'node:http';

const templates = {
  data: [
    {
      id: '1',
      name: 'order_update',
      language: 'en',
      status: 'APPROVED',
      category: 'UTILITY',
      parameter_format: 'POSITIONAL',
      components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is on its way.' }],
    },
    {
      id: '2',
      name: 'login_code',
      language: 'en',
      status: 'APPROVED',
      category: 'AUTHENTICATION',
      parameter_format: 'POSITIONAL',
      components: [
        { type: 'BODY', text: '{{1}} is your code.' },
        { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Copy', url: 'https://www.whatsapp.com/otp/code/?code=otp{{1}}' }] },
      ],
    },
  ],
  paging: { cursors: { before: 'a', after: 'b' } },
};
const run = process.hrtime.bigint().toString(36);
let made = 0;

createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => (body += chunk));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    if (request.method === 'GET')
      return response.end(JSON.stringify(request.url.includes('message_templates') ? templates : { id: '1', status: 'CONNECTED' }));
    const to = /"to":"\+?(\d+)"/.exec(body)?.[1] ?? '';
    made += 1;
    response.end(
      `{"messaging_product":"whatsapp","contacts":[{"input":"+${to}","wa_id":"${to}"}],"messages":[{"id":"wamid.${run}.${made}","message_status":"accepted"}]}`,
    );
  });
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('ready'));
