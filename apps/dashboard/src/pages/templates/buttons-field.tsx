import { Button, Input } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Field } from '../../components/field';
import { ButtonFields } from './button-fields';
import { EMPTY_BUTTON, type FormButton } from './template-form';

const MAX_BUTTONS = 10;

/** All buttons of a template. */
export function ButtonsField({ buttons, onChange }: { buttons: FormButton[]; onChange: (buttons: FormButton[]) => void }) {
  /** The place of the button that the person added last. */
  const [added, setAdded] = useState<number>();
  return (
    <>
      {buttons.map((button, i) => (
        <ButtonFields
          key={i}
          nth={i + 1}
          isNew={i === added}
          button={button}
          onChange={(change) => onChange(buttons.map((one, at) => (at === i ? { ...one, ...change } : one)))}
          onRemove={() => onChange(buttons.filter((_, at) => at !== i))}
        />
      ))}
      <Field name="buttons">
        <Input.Wrapper label="Buttons" labelElement="div">
          <Button
            display="block"
            mt={4}
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} />}
            disabled={buttons.length >= MAX_BUTTONS}
            onClick={() => {
              setAdded(buttons.length);
              onChange([...buttons, { ...EMPTY_BUTTON, type: 'quick_reply' }]);
            }}
          >
            Add a button
          </Button>
        </Input.Wrapper>
      </Field>
    </>
  );
}
