import { Button, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { FormModal } from '../../components/form-modal';
import { LoadingRows } from '../../components/query-result';
import { PageTitle } from '../../components/page-title';
import { useFirstLoad } from '../../components/use-first-load';
import { BacklogPlots } from './backlog-plots';
import { BusinessList } from './business-list';
import { CreateBusiness } from './create-business';
import { FailingWebhooks } from './failing-webhooks';
import { GlobalLimitForm } from './global-limit-form';
import type { NewBusiness } from './plans';
import { ServiceCards } from './service-cards';

export function OperatorPage() {
  const [creating, setCreating] = useState(false);
  const [begun, setBegun] = useState<NewBusiness | null>(null);
  const isLoading = useFirstLoad();
  return (
    <>
      <PageTitle title="Operator" about="Businesses, limits and service health">
        <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
          New business
        </Button>
      </PageTitle>
      {isLoading && <LoadingRows />}
      <div hidden={isLoading}>
        <Section title="Services" />
        <ServiceCards />
        <GlobalLimitForm />
        <Section title="Businesses" />
        <BusinessList />
        <Section title="Failing webhooks" />
        <FailingWebhooks />
        <Section title="Backlogs of the last hour" />
        <BacklogPlots />
      </div>
      <FormModal opened={creating} onClose={() => setCreating(false)} title="New business">
        {creating && (
          <CreateBusiness
            begun={begun}
            begin={setBegun}
            done={() => {
              setBegun(null);
              setCreating(false);
            }}
          />
        )}
      </FormModal>
    </>
  );
}

function Section({ title }: { title: string }) {
  return (
    <Title order={2} size="h4" mb="sm" mt="lg" id={title.toLowerCase().replaceAll(' ', '-')}>
      {title}
    </Title>
  );
}
