import type { Component } from 'svelte';
import type { RouteName } from '$/lib/router.svelte';

type Page = Promise<{ default: unknown }>;

/** The component of every page. Each is a separate chunk that is loaded on first use. */
const PAGES: Record<RouteName | 'notFound', () => Page> = {
  overview: () => import('$/pages/overview/OverviewPage.svelte'),
  applications: () => import('$/pages/applications/ApplicationsPage.svelte'),
  application: () => import('$/pages/applications/ApplicationPage.svelte'),
  maps: () => import('$/pages/maps/MapsPage.svelte'),
  map: () => import('$/pages/maps/MapPage.svelte'),
  recognition: () => import('$/pages/recognition/RecognitionPage.svelte'),
  datasets: () => import('$/pages/datasets/DatasetsPage.svelte'),
  dataset: () => import('$/pages/datasets/DatasetPage.svelte'),
  collections: () => import('$/pages/collections/CollectionsPage.svelte'),
  collection: () => import('$/pages/collections/CollectionPage.svelte'),
  catalogue: () => import('$/pages/catalogue/CataloguePage.svelte'),
  feedback: () => import('$/pages/feedback/FeedbackPage.svelte'),
  account: () => import('$/pages/account/AccountPage.svelte'),
  operator: () => import('$/pages/operator/OperatorPage.svelte'),
  server: () => import('$/pages/server/ServerPage.svelte'),
  signIn: () => import('$/pages/auth/SignInPage.svelte'),
  register: () => import('$/pages/auth/RegisterPage.svelte'),
  forgot: () => import('$/pages/auth/ForgotPage.svelte'),
  reset: () => import('$/pages/auth/ResetPage.svelte'),
  confirm: () => import('$/pages/auth/ConfirmPage.svelte'),
  notFound: () => import('$/pages/NotFoundPage.svelte'),
};

/** Pages receive their path parameters as properties, all of them strings. */
export async function pageOf(name: RouteName | 'notFound'): Promise<Component<Record<string, string>>> {
  return (await PAGES[name]()).default as Component<Record<string, string>>;
}
