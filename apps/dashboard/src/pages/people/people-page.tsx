import { Stack } from '@mantine/core';
import { PageTitle } from '../../components/page-title';
import { ErasureList } from './erasure-list';
import { PersonForm } from './person-form';

/** Hands over and erases the data of a person. */
export function PeoplePage() {
  return (
    <>
      <PageTitle title="Personal data" about="Hand over what is stored about a person, or erase it" />
      <Stack>
        <PersonForm />
        <ErasureList />
      </Stack>
    </>
  );
}
