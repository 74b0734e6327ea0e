import { lazy, type ComponentType, type LazyExoticComponent } from 'react';
import { ProblemNotice } from './ProblemNotice';
import { texts } from './texts';

/** Says that the code did not load: there is no connection, or a newer version has other files. */
function NotLoaded() {
  return (
    <ProblemNotice
      error={new Error('the code of this place did not load')}
      unanswered={texts.notSent}
      retry={() => {
        location.reload();
      }}
    />
  );
}

/** Returns a component whose code is loaded when it is first displayed. */
export function later<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({ default: await load().catch(() => NotLoaded) }));
}
