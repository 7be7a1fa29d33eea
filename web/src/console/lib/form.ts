import { tick } from 'svelte';

/** Focuses the first invalid field once the errors have been rendered. */
export async function focusInvalid(form: HTMLFormElement) {
  await tick();
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
