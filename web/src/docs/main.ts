import { mount } from 'svelte';
import '$/styles/tokens.css';
import '$/styles/base.css';
import { theme } from '$/lib/theme.svelte';
import Page from './Page.svelte';

const target = document.getElementById('app');
if (!target) throw new Error('page.html has no #app');
document.documentElement.dataset.theme = theme.dark ? 'dark' : 'light';
mount(Page, { target });
