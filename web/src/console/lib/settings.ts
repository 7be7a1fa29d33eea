import { readStored, writeStored } from '$shared/storage';

// The console's settings in the browser's storage.

export const readSetting = (name: string) => readStored(`kaisatsu.${name}`);
export const writeSetting = (name: string, value: string | null) => writeStored(`kaisatsu.${name}`, value);
