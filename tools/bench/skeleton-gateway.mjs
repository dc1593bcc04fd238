// The bare skeleton's gateway: key, limiter and one hop, without the product's rules. Nest, Fastify, ioredis and Nest's NATS client.
// usage: PORT= NATS_URL= REDIS_URL= node skeleton-gateway.mjs
import 'reflect-metadata';
import { Body, Controller, HttpCode, Module, Post, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, Transport } from '@nestjs/microservices';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Redis } from 'ioredis';
import { lastValueFrom } from 'rxjs';

const LIMIT = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
for i = 1, 2 do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now - 60000000)
  if redis.call('ZCARD', KEYS[i]) >= 1000000 then return 0 end
end
for i = 1, 2 do redis.call('ZADD', KEYS[i], now, now .. ARGV[1]) redis.call('PEXPIRE', KEYS[i], 61000) end
return 1`;
const { PORT, NATS_URL, REDIS_URL } = process.env;
const redis = new Redis(REDIS_URL, { enableAutoPipelining: false, scripts: { take: { lua: LIMIT, numberOfKeys: 2 } } });
const client = ClientProxyFactory.create({ transport: Transport.NATS, options: { servers: [NATS_URL] } });
const keys = new Map([['bench', { id: 1 }]]);
let counter = 0;

class Guard {
  async canActivate(context) {
    const key = keys.get(context.switchToHttp().getRequest().headers['x-api-key']);
    return key !== undefined && (await redis.take(`skeleton:${key.id}`, 'skeleton:global', String((counter += 1)))) === 1;
  }
}

class SendController {
  async send(body) {
    const sent = await lastValueFrom(client.send('skeleton.send', body));
    return { success: true, message_id: sent.id, phone: body.phone, template: body.template_name, delivery_status: 'queued' };
  }
}
Body()(SendController.prototype, 'send', 0);
const method = Object.getOwnPropertyDescriptor(SendController.prototype, 'send');
Post('send')(SendController.prototype, 'send', method);
HttpCode(200)(SendController.prototype, 'send', method);
UseGuards(Guard)(SendController);
Controller()(SendController);

class App {}
Module({ controllers: [SendController] })(App);
const app = await NestFactory.create(App, new FastifyAdapter(), { logger: ['error'] });
await client.connect();
await app.listen(Number(PORT), '127.0.0.1');
console.log('ready');
