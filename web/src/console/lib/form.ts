import { tick } from 'svelte';

/** The first field with a problem takes the focus, once the problems are in the page. */
export async function focusInvalid(form: HTMLFormElement) {
  await tick();
  form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
}
