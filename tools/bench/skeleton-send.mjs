// The bare skeleton's sender: intent, platform call, outcome with message and outbox row; both writes batched by turn of the
// event loop (at most 64 rows, two statements in flight, unnest arrays). None of the product's rules.
// usage: NATS_URL= DATABASE_URL= PLATFORM_URL= node skeleton-send.mjs
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MessagePattern, Payload, Transport } from '@nestjs/microservices';
import pg from 'pg';
import { Pool } from 'undici';

const { NATS_URL, DATABASE_URL, PLATFORM_URL } = process.env;
const db = new pg.Pool({ connectionString: DATABASE_URL, max: 8 });
await db.query(`CREATE SCHEMA IF NOT EXISTS skeleton;
  CREATE TABLE IF NOT EXISTS skeleton.intents (id uuid PRIMARY KEY, recipient text, text text, state text, message_id text);
  CREATE TABLE IF NOT EXISTS skeleton.messages (message_id text PRIMARY KEY, intent_id uuid, at timestamptz DEFAULT now());
  CREATE TABLE IF NOT EXISTS skeleton.outbox (id text PRIMARY KEY, seq bigserial, body text);`);
const platform = new Pool(PLATFORM_URL, { connections: 128 });

function batched(run) {
  const queue = [];
  let running = 0;
  let scheduled = false;
  const turn = () => {
    scheduled = false;
    while (queue.length > 0 && running < 2) {
      const batch = queue.splice(0, 64);
      running += 1;
      run(batch.map(({ item }) => item))
        .then(
          () => batch.forEach(({ resolve }) => resolve()),
          (error) => batch.forEach(({ reject }) => reject(error)),
        )
        .finally(() => {
          running -= 1;
          if (queue.length > 0) schedule();
        });
    }
  };
  const schedule = () => {
    if (scheduled || running >= 2) return;
    scheduled = true;
    setImmediate(turn);
  };
  return (item) =>
    new Promise((resolve, reject) => {
      queue.push({ item, resolve, reject });
      schedule();
    });
}

const intent = batched((rows) =>
  db.query({
    name: 'intent',
    text: `INSERT INTO skeleton.intents SELECT *, 'calling', NULL FROM unnest($1::uuid[], $2::text[], $3::text[])`,
    values: [rows.map((r) => r.id), rows.map((r) => r.to), rows.map((r) => r.text)],
  }),
);
const outcome = batched((rows) =>
  db.query({
    name: 'outcome',
    text: `WITH n AS (SELECT * FROM unnest($1::uuid[], $2::text[], $3::text[]) AS n (id, message_id, body)),
      accepted AS (UPDATE skeleton.intents i SET state = 'accepted', message_id = n.message_id FROM n WHERE i.id = n.id),
      recorded AS (INSERT INTO skeleton.messages (message_id, intent_id) SELECT message_id, id FROM n)
      INSERT INTO skeleton.outbox (id, body) SELECT message_id, body FROM n`,
    values: [rows.map((r) => r.id), rows.map((r) => r.messageId), rows.map((r) => r.body)],
  }),
);

class Sender {
  async send({ phone, template_name, body_params }) {
    const id = randomUUID();
    await intent({ id, to: phone, text: template_name });
    const body = JSON.stringify({
      messaging_product: 'whatsapp',
      to: `+${phone}`,
      type: 'template',
      biz_opaque_callback_data: id,
      template: {
        name: template_name,
        language: { code: 'en' },
        components: [{ type: 'body', parameters: body_params.map((text) => ({ type: 'text', text })) }],
      },
    });
    const response = await platform.request({
      method: 'POST',
      path: '/v26.0/1/messages',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { messages } = await response.body.json();
    await outcome({ id, messageId: messages[0].id, body });
    return { id: messages[0].id };
  }
}
Payload()(Sender.prototype, 'send', 0);
MessagePattern('skeleton.send')(Sender.prototype, 'send', Object.getOwnPropertyDescriptor(Sender.prototype, 'send'));
Controller()(Sender);
class App {}
Module({ controllers: [Sender] })(App);
const app = await NestFactory.createMicroservice(App, {
  transport: Transport.NATS,
  options: { servers: [NATS_URL], queue: 'skeleton' },
  logger: ['error'],
});
await app.listen();
console.log('ready');
