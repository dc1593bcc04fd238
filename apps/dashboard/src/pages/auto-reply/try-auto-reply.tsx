import { Button, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, request } from '../../api/client';
import { PhoneBubble } from '../../components/phone-bubble';
import { Wallpaper } from '../../components/wallpaper';
import { Form } from '../../components/form';
import { TitledCard } from '../../components/titled-card';

export function TryAutoReply() {
  const [text, setText] = useState('');
  const attempt = useMutation({
    mutationFn: (text: string) => request(api.POST('/api/client/auto-reply/try', { body: { text } })),
  });
  return (
    <TitledCard title="Try it">
      <Form onSubmit={() => attempt.mutate(text)}>
        <TextInput
          aria-label="A customer’s message"
          placeholder="Are you open on Sunday?"
          value={text}
          onChange={(e) => setText(e.currentTarget.value)}
        />
        <div role="status">
          {attempt.data && (
            <Wallpaper>
              <PhoneBubble mine={false} text={attempt.variables} />
              <PhoneBubble text={attempt.data.reply} meta="not sent" />
            </Wallpaper>
          )}
        </div>
        <Button type="submit" variant="default" loading={attempt.isPending} disabled={!text.trim()}>
          Get a reply
        </Button>
      </Form>
    </TitledCard>
  );
}
