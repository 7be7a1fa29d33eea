import { describe, expect, it } from 'vitest';
import type { ServerPart } from '$/lib/console';
import { needsAttention, worst } from './parts';

const part = (state: ServerPart['state']): ServerPart => ({ name: 'models', state, message: null });

describe('parts of the server', () => {
  it('have a worst state', () => {
    expect(worst([])).toBe('ok');
    expect(worst([part('ok'), part('off')])).toBe('off');
    expect(worst([part('failing'), part('degraded'), part('ok')])).toBe('failing');
  });

  it('need attention when they do not work', () => {
    expect(
      (['ok', 'off', 'starting', 'degraded', 'failing'] as const).map((state) => needsAttention(part(state))),
    ).toEqual([false, false, false, true, true]);
  });
});
