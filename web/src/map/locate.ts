// The button that goes to the station nearest to the reader.

import { byId } from './dom';
import { messages } from './messages';
import type { MapStation } from './network';

/** Farther away, the reader is in another city. */
const MAX_METRES = 50_000;

export type LocateOptions = {
  nearest: (latitude: number, longitude: number) => { station: MapStation; metres: number } | undefined;
  onFound: (station: MapStation) => void;
  onProblem: (text: string) => void;
};

export function attachLocate({ nearest, onFound, onProblem }: LocateOptions): void {
  const button = byId('locate');
  // Browsers tell positions to pages over https only, and to those of the same machine.
  button.hidden = !isSecureContext || !('geolocation' in navigator);
  button.addEventListener('click', () => {
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        const near = nearest(coords.latitude, coords.longitude);
        if (near && near.metres <= MAX_METRES) onFound(near.station);
        else onProblem(messages.tooFar);
      },
      () => onProblem(messages.notLocated),
      { timeout: 10_000 },
    );
  });
}
