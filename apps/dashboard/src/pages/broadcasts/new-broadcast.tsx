import { Anchor, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, request } from '../../api/client';
import { PageTitle } from '../../components/page-title';
import { QueryResult } from '../../components/query-result';
import { StepsBar } from '../../components/steps-bar';
import { CheckStep } from './check-step';
import { useDraft } from './draft';
import { fieldsOf, isMapped } from './mapping';
import { RecipientsStep } from './recipients-step';
import { StepHeading } from './step-heading';
import { STEPS, type Step } from './steps';
import { TemplateStep } from './template-step';
import { ValuesStep } from './values-step';

/** Composes a broadcast in four steps, each with its own address. A step opens when those before it are complete. */
export function NewBroadcast({
  step: asked,
  onStep,
  onLeave,
  onCreated,
}: {
  step: string;
  onStep: (step: Step) => void;
  onLeave: () => void;
  onCreated: (id: number) => void;
}) {
  const { draft } = useDraft();
  const templates = useQuery({ queryKey: ['templates'], queryFn: () => request(api.GET('/api/client/templates')) });
  return (
    <>
      <PageTitle title="New broadcast">
        <Anchor component="button" type="button" size="sm" onClick={onLeave}>
          All broadcasts
        </Anchor>
      </PageTitle>
      <QueryResult query={templates}>
        {({ templates: all }) => {
          // A code goes out by the API only.
          const usable = all.filter(({ status, category }) => status === 'APPROVED' && category !== 'AUTHENTICATION');
          const template = usable.find(({ name, language }) => `${name}/${language}` === draft.template);
          const fields = template ? fieldsOf(template) : [];
          const reached = !template ? 0 : !draft.table ? 1 : !isMapped(fields, draft.mapping) ? 2 : 3;
          const wanted = STEPS.findIndex(({ name }) => name === asked);
          const current = STEPS[Math.min(Math.max(0, wanted), reached)]?.name ?? 'template';
          return (
            <Stack maw={980}>
              <StepsBar steps={STEPS} current={current} reached={reached} onStep={onStep} />
              <StepHeading>{STEPS.find(({ name }) => name === current)?.label ?? ''}</StepHeading>
              {current === 'template' && <TemplateStep templates={usable} chosen={template} onNext={() => onStep('recipients')} />}
              {template && current === 'recipients' && <RecipientsStep fields={fields} onNext={() => onStep('values')} />}
              {template && draft.table && current === 'values' && (
                <ValuesStep template={template} fields={fields} table={draft.table} onNext={() => onStep('check')} />
              )}
              {template && draft.table && current === 'check' && (
                <CheckStep template={template} fields={fields} table={draft.table} onCreated={onCreated} />
              )}
            </Stack>
          );
        }}
      </QueryResult>
    </>
  );
}
