import { lazy, Suspense, useRef, type ComponentType } from 'react';

/** A dialog whose code is loaded when it opens for the first time. */
export function onDemand<P extends { opened: boolean }>(load: () => Promise<ComponentType<P>>) {
  const Dialog = lazy<ComponentType<P>>(async () => ({ default: await load() }));
  return function OnDemand(props: P) {
    const wasOpened = useRef(false);
    wasOpened.current ||= props.opened;
    return (
      wasOpened.current && (
        <Suspense>
          <Dialog {...props} />
        </Suspense>
      )
    );
  };
}
