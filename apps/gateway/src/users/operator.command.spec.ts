import { Readable } from 'node:stream';
import { PASSWORD, startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { createOperator } from './operator.command';

const ARGS = ['--email', 'Root@gateway.example', '--name', 'Root'];

describe('create-operator (spec §11)', () => {
  let dashboard: Dashboard;
  const run = (args: string[], environment: Record<string, string>, stdin = '') =>
    createOperator(args, { DATABASE_URL: dashboard.databaseUrl, ...environment }, Readable.from([stdin]));

  beforeAll(async () => {
    dashboard = await startDashboard();
  });
  afterAll(() => dashboard.close());

  it('spec §11: creates an operator with the password from the environment, who can log in', async () => {
    expect(await run(ARGS, { OPERATOR_PASSWORD: PASSWORD })).toMatch(/^Operator \d+ created\.$/);
    const response = await dashboard.visitor.post('/api/client/login', { email: 'root@gateway.example', password: PASSWORD }).expect(200);
    expect(response.body).toMatchObject({ user: { role: 'operator', name: 'Root' } });
    await expect(run(ARGS, { OPERATOR_PASSWORD: PASSWORD })).rejects.toThrow('There is an operator with this email already.');
  });

  it('spec §11: takes the password from standard input', async () => {
    await run(['--email', 'second@gateway.example', '--name', 'Second'], {}, `${PASSWORD}\n`);
    await dashboard.visitor.post('/api/client/login', { email: 'second@gateway.example', password: PASSWORD }).expect(200);
  });

  it.each([
    ['no password', ARGS, {}],
    ['a short password', ARGS, { OPERATOR_PASSWORD: 'short' }],
    ['no address', ['--name', 'x'], { OPERATOR_PASSWORD: PASSWORD }],
    ['no name', ['--email', 'a@b.example'], { OPERATOR_PASSWORD: PASSWORD }],
  ])('spec §11: refuses %s', async (_, args, environment) => {
    await expect(run(args, environment)).rejects.toThrow('usage: create-operator');
  });
});
