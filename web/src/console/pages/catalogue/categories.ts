import { t } from '$/lib/i18n.svelte';

const names = (): Record<string, string> => t.catalogue.categories;

/** The name of a category, or the category itself if it is an unknown one. */
export const categoryName = (category: string): string => names()[category] ?? category;
export const categoryOptions = () => Object.entries(names()).map(([value, label]) => ({ value, label }));
