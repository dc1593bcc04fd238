import { Anchor, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api, ApiError, notifyError, request, shownByForm } from '../../api/client';
import { useMayCall } from '../../api/session';
import { PageTitle } from '../../components/page-title';
import { QueryResult } from '../../components/query-result';
import { StepsBar } from '../../components/steps-bar';
import { CallbackStep } from './callback-step';
import { CheckStep } from './check-step';
import { bodyOf, useConnectionDraft, type ConnectionDraft } from './draft';
import { FieldStep } from './field-step';
import { FIELD_STEPS, STEPS, type StepName } from './steps';

type Body = NonNullable<ReturnType<typeof bodyOf>>;

const route = getRouteApi('/inside/settings/connection');

/** Connects a number step by step, each with its own address. */
export function ConnectionPage() {
  const { step: wanted } = route.useSearch();
  const navigate = route.useNavigate();
  return <ConnectionSteps wanted={wanted} onStep={(step) => void navigate({ search: { step } })} />;
}

function ConnectionSteps({ wanted, onStep }: { wanted: string | undefined; onStep: (step: StepName) => void }) {
  const queries = useQueryClient();
  const mayChange = useMayCall('PUT /api/client/connection');
  const { draft, change, clear } = useConnectionDraft();
  const query = useQuery({ queryKey: ['connection'], queryFn: () => request(api.GET('/api/client/connection')), refetchInterval: 4_000 });
  const save = useMutation({
    mutationFn: ({ body }: { body: Body; saved: ConnectionDraft }) => request(api.PUT('/api/client/connection', { body })),
    onSuccess: async (_, { saved }) => {
      clear(saved);
      await queries.invalidateQueries({ queryKey: ['connection'] });
      queries.removeQueries({ queryKey: ['connection-checks'] });
    },
    // The step of the refused field shows the error.
    onError: (error) => (refusedStep(error) ? shownByForm : notifyError)(error),
  });
  const saveThenOpen = (body: Body, next: StepName) =>
    save.mutate(
      { body, saved: draft },
      {
        onSuccess: () => onStep(next),
        onError: (error) => {
          const step = refusedStep(error);
          if (step) onStep(step.name);
        },
      },
    );
  return (
    <>
      <PageTitle title="Connect WhatsApp" about="A number, a token, a secret and a callback of your app at Meta">
        <Anchor component={Link} to="/settings" size="sm">
          Settings
        </Anchor>
      </PageTitle>
      <QueryResult query={query}>
        {(connection) => {
          const isSaved = connection.status !== 'not_connected';
          const reached = isSaved
            ? STEPS.length - 1
            : !draft.phone_number_id || !draft.business_account_id
              ? 0
              : !draft.access_token
                ? 1
                : 2;
          // A saved connection opens with its check list.
          const asked = STEPS.findIndex(({ name }) => name === wanted);
          const index = Math.min(asked === -1 ? STEPS.length - 1 : asked, reached);
          const current = STEPS[index] ?? STEPS[0];
          const fieldStep = FIELD_STEPS.find(({ name }) => name === current.name);
          const body = bodyOf(draft, connection);
          const toNext = () => {
            const next = STEPS[index + 1]?.name ?? 'check';
            const isComplete = isSaved || index === FIELD_STEPS.length - 1;
            if (isComplete && body !== null) saveThenOpen(body, next);
            else onStep(next);
          };
          if (!mayChange && !isSaved) return <Text>An owner connects the number here.</Text>;
          if (!mayChange) return <CheckStep connection={connection} />;
          return (
            <Stack maw={980} gap="lg">
              {/* A save that ends would move a person back who went on meanwhile. */}
              <StepsBar steps={STEPS} current={current.name} reached={save.isPending ? -1 : reached} onStep={onStep} />
              {fieldStep && (
                <FieldStep
                  key={fieldStep.name}
                  step={fieldStep}
                  connection={connection}
                  draft={draft}
                  change={change}
                  saving={save.isPending}
                  error={save.error}
                  onNext={toNext}
                />
              )}
              {current.name === 'callback' && (
                <CallbackStep
                  connection={connection}
                  saving={save.isPending}
                  onNewToken={() => body && saveThenOpen(body, 'callback')}
                  onNext={() => onStep('check')}
                />
              )}
              {current.name === 'check' && <CheckStep connection={connection} />}
            </Stack>
          );
        }}
      </QueryResult>
    </>
  );
}

/** The step with the field that the gateway refused. */
function refusedStep(error: Error) {
  const field = error instanceof ApiError ? error.details[0]?.field : undefined;
  return FIELD_STEPS.find(({ fields }) => fields.some(({ name }) => name === field));
}
