import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { photo } from './users';

/** Variants of one photograph, as if it had been taken several times: rotated, closer, brighter. */
export async function variants(page: Page, name: string, count: number): Promise<Buffer[]> {
  const source = readFileSync(photo(name)).toString('base64');
  const type = name.endsWith('.jpg') ? 'image/jpeg' : 'image/png';
  const made = await page.evaluate(
    async ({ source, type, count }) => {
      const bytes = Uint8Array.from(atob(source), (c) => c.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes], { type }));
      const out: string[] = [];
      for (let n = 0; n < count; n++) {
        const canvas = new OffscreenCanvas(320, 240);
        const brush = canvas.getContext('2d')!;
        const scale = Math.max(320 / picture.width, 240 / picture.height) * (1.15 + (n % 4) * 0.12);
        brush.filter = `brightness(${0.85 + (n % 5) * 0.08})`;
        brush.translate(160 + ((n * 7) % 31) - 15, 120 + ((n * 11) % 23) - 11);
        brush.rotate((((n * 5) % 9) - 4) * 0.035);
        brush.scale(n % 2 ? -scale : scale, scale);
        brush.drawImage(picture, -picture.width / 2, -picture.height / 2);
        const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
        const all = new Uint8Array(await blob.arrayBuffer());
        out.push(btoa(all.reduce((text, byte) => text + String.fromCharCode(byte), '')));
      }
      return out;
    },
    { source, type, count },
  );
  return made.map((text) => Buffer.from(text, 'base64'));
}

/** Parts of one photograph that do not overlap: pictures of the same kind of thing that are no near-duplicates. */
export async function tiles(page: Page, name: string, across: number): Promise<Buffer[]> {
  const source = readFileSync(photo(name)).toString('base64');
  const made = await page.evaluate(
    async ({ source, across }) => {
      const bytes = Uint8Array.from(atob(source), (c) => c.charCodeAt(0));
      const picture = await createImageBitmap(new Blob([bytes]));
      const [width, height] = [picture.width / across, picture.height / across];
      const out: string[] = [];
      for (let n = 0; n < across * across; n++) {
        const canvas = new OffscreenCanvas(240, 240);
        const [left, top] = [(n % across) * width, Math.floor(n / across) * height];
        canvas.getContext('2d')!.drawImage(picture, left, top, width, height, 0, 0, 240, 240);
        const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
        const all = new Uint8Array(await blob.arrayBuffer());
        out.push(btoa(all.reduce((text, byte) => text + String.fromCharCode(byte), '')));
      }
      return out;
    },
    { source, across },
  );
  return made.map((text) => Buffer.from(text, 'base64'));
}

/** The middle of a photograph in the format of a phone that is held upright. */
export async function upright(page: Page, name: string): Promise<Buffer> {
  const source = readFileSync(photo(name)).toString('base64');
  const made = await page.evaluate(async (source) => {
    const bytes = Uint8Array.from(atob(source), (c) => c.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes]));
    const canvas = new OffscreenCanvas(900, 1600);
    const width = picture.height * (900 / 1600);
    const left = (picture.width - width) / 2;
    canvas.getContext('2d')!.drawImage(picture, left, 0, width, picture.height, 0, 0, 900, 1600);
    const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 0.9 });
    const all = new Uint8Array(await blob.arrayBuffer());
    return btoa(all.reduce((text, byte) => text + String.fromCharCode(byte), ''));
  }, source);
  return Buffer.from(made, 'base64');
}
