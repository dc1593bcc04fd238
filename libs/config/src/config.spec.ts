import { config, ConfigError, env } from './index';

class DemoConfig extends config('demo', {
  databaseUrl: env.url('DATABASE_URL', { doc: 'where the data lives', schemes: ['postgresql'], secret: true }),
  port: env.port('PORT', { doc: 'port', default: 0 }),
  rate: env.integer('RATE', { doc: 'per minute', default: 60, min: 1, max: 100 }),
  targets: env.list('TARGETS', { doc: 'hosts', default: 'localhost' }),
}) {}

describe('configuration', () => {
  it('reads and converts values and applies defaults', () => {
    const loaded = DemoConfig.load({ DATABASE_URL: 'postgresql://localhost/x', RATE: '7' });
    expect(loaded).toBeInstanceOf(DemoConfig);
    expect([loaded.port, loaded.rate, loaded.targets]).toEqual([0, 7, ['localhost']]);
  });

  it('distinguishes an empty list from an absent one', () => {
    expect(DemoConfig.load({ DATABASE_URL: 'postgresql://localhost/x', TARGETS: '' }).targets).toEqual([]);
  });

  it('reports every fault at once', () => {
    const load = () => DemoConfig.load({ PORT: '70000', RATE: 'many' });
    expect(load).toThrow(ConfigError);
    expect(load).toThrow(/DATABASE_URL is missing[\s\S]*PORT must be[\s\S]*RATE must be/);
  });

  it('never prints a secret', () => {
    const printed = JSON.stringify(DemoConfig.load({ DATABASE_URL: 'postgresql://u:hidden@localhost/x' }).printable());
    expect(printed).not.toContain('hidden');
  });
});
